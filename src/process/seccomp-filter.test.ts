import { expect, test } from "vitest";
import { seccompFilter } from "./seccomp-filter.ts";

interface SystemCall {
  readonly number: number;
  readonly audit: number;
  readonly firstArgument?: number;
}

/** Runs a filter as the kernel does, as far as it uses its language. */
function verdictOf(filter: Uint8Array, { number, audit, firstArgument = 0 }: SystemCall): number {
  const data: Readonly<Record<number, number>> = { 0: number, 4: audit, 16: firstArgument };
  const view = new DataView(filter.buffer);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const code = view.getUint16(at * 8, true);
    const operand = view.getUint32(at * 8 + 4, true);
    const jump = (holds: boolean): number => view.getUint8(at * 8 + (holds ? 2 : 3));
    switch (code) {
      case 0x20:
        accumulator = data[operand] ?? expect.unreachable("it loads what there is");
        break;
      case 0x15:
        at += jump(accumulator === operand);
        break;
      case 0x35:
        at += jump(accumulator >= operand);
        break;
      case 0x45:
        at += jump((accumulator & operand) !== 0);
        break;
      case 0x06:
        return operand;
      default:
        expect.unreachable(`no instruction: ${code}`);
    }
  }
  return expect.unreachable("a filter ends with a verdict");
}

const allowed = 0x7fff_0000;
const refused = 0x0005_0001;
const unknown = 0x0005_0026;
const killed = 0x8000_0000;
const x64 = { arch: "x64", audit: 0xc000_003e };
const arm64 = { arch: "arm64", audit: 0xc000_00b7 };

test.each([
  ["read", x64, { number: 0 }, allowed],
  ["execve", x64, { number: 59 }, allowed],
  ["clone for a thread", x64, { number: 56, firstArgument: 0x3d0f00 }, allowed],
  ["clone with a name space for users", x64, { number: 56, firstArgument: 0x1000_0011 }, refused],
  ["clone3", x64, { number: 435 }, unknown],
  ["add_key", x64, { number: 248 }, refused],
  ["keyctl", x64, { number: 250 }, refused],
  ["open_by_handle_at", x64, { number: 304 }, refused],
  ["io_uring_setup", x64, { number: 425 }, refused],
  ["open_tree_attr, the last of the list", x64, { number: 467 }, refused],
  ["read of the second set", x64, { number: 0x4000_0000 }, refused],
  ["read in the manner of 32 bits", { ...x64, audit: 0x4000_0003 }, { number: 3 }, killed],
  ["read", arm64, { number: 63 }, allowed],
  ["keyctl", arm64, { number: 219 }, refused],
  ["mount", arm64, { number: 40 }, refused],
  [
    "clone with a name space for users",
    arm64,
    { number: 220, firstArgument: 0x1000_0011 },
    refused,
  ],
  ["bpf", arm64, { number: 280 }, refused],
] as const)(
  "the filter's verdict on %s of %o is as it should be",
  (_name, machine, call, verdict) => {
    const filter = seccompFilter(machine.arch) ?? expect.unreachable("it is known");
    expect(verdictOf(filter, { audit: machine.audit, ...call })).toBe(verdict);
  },
);

test("for a kind of processor that is not known there is no filter", () => {
  expect(seccompFilter("riscv64")).toBeUndefined();
});
