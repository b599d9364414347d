/**
 * A filter of system calls (seccomp, classic BPF) for this machine's kind of processor; `undefined` for
 * a kind that is not known here. It refuses what no tool needs and what has led out of sandboxes before:
 * the kernel's keyrings, mounts, name spaces, modules, BPF, performance counters, io_uring.
 *
 * @param architecture as `process.arch` has it.
 */
export function seccompFilter(architecture: string): Uint8Array | undefined {
  const machine = machines[architecture];
  if (machine === undefined) {
    return undefined;
  }
  const { audit, refused, clone, x32 } = machine;
  const tests = [...refused, ...newer];
  const program: Instruction[] = [
    [load, 0, 0, architectureAt],
    [jumpIfEqual, 1, 0, audit],
    [give, 0, 0, killProcess], // calls in the manner of another processor would not be told apart
    [load, 0, 0, numberAt],
    ...(x32
      ? ([
          [jumpIfAtLeast, 0, 1, 0x4000_0000],
          [give, 0, 0, refuse],
        ] as const)
      : []),
    [jumpIfEqual, 0, 1, clone3],
    [give, 0, 0, unknownCall], // its flags are out of reach; whoever calls it falls back to clone
    [jumpIfEqual, 0, 4, clone],
    [load, 0, 0, firstArgumentAt],
    [jumpIfAnyOf, 0, 1, newUserNamespace],
    [give, 0, 0, refuse],
    [give, 0, 0, allow],
    ...tests.map((call, index): Instruction => [jumpIfEqual, tests.length - index, 0, call]),
    [give, 0, 0, allow],
    [give, 0, 0, refuse],
  ];
  return encode(program);
}

/** An instruction: its code, how many to skip where the test holds and where not, its operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnyOf = 0x45;
const give = 0x06;

/** Where in `struct seccomp_data` things are; both kinds of processor are little-endian. */
const numberAt = 0;
const architectureAt = 4;
const firstArgumentAt = 16;

const allow = 0x7fff_0000;
const refuse = 0x0005_0001; // EPERM
const unknownCall = 0x0005_0026; // ENOSYS
const killProcess = 0x8000_0000;

const newUserNamespace = 0x1000_0000;
const clone3 = 435;

/** Calls that have the same number everywhere. */
const newer: readonly number[] = [
  ...[425, 426, 427], // io_uring_setup, _enter, _register
  ...[428, 429, 430, 431, 432, 433, 442, 467], // open_tree, move_mount, fsopen … mount_setattr
];

interface Machine {
  /** Its `AUDIT_ARCH_…`. */
  readonly audit: number;
  readonly clone: number;
  /** Whether there is a second set of calls, from this number on. */
  readonly x32: boolean;
  readonly refused: readonly number[];
}

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000_003e,
    clone: 56,
    x32: true,
    refused: [
      ...[248, 249, 250], // add_key, request_key, keyctl
      ...[165, 166, 155, 272, 308], // mount, umount2, pivot_root, unshare, setns
      ...[321, 298, 323], // bpf, perf_event_open, userfaultfd
      ...[175, 313, 176, 246, 320], // init_module, finit_module, delete_module, kexec_load, kexec_file_load
      ...[167, 168, 169, 163, 179, 103], // swapon, swapoff, reboot, acct, quotactl, syslog
      ...[303, 304], // name_to_handle_at, open_by_handle_at
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    clone: 220,
    x32: false,
    refused: [
      ...[217, 218, 219],
      ...[40, 39, 41, 97, 268],
      ...[280, 241, 282],
      ...[105, 273, 106, 104, 294],
      ...[224, 225, 142, 89, 60, 116],
      ...[264, 265],
    ],
  },
};

/** As an array of `struct sock_filter`. */
function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, [code, ifTrue, ifFalse, operand]] of program.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, ifTrue);
    bytes.setUint8(index * 8 + 3, ifFalse);
    bytes.setUint32(index * 8 + 4, operand, true);
  }
  return new Uint8Array(bytes.buffer);
}
