import {
  defaultSandboxLimits,
  type SandboxLimits,
  type SandboxNetwork,
} from "../base/sandbox-settings.ts";
import { type Bubblewrap, isolationArguments } from "./find-bubblewrap.ts";
import type { Mount } from "./sandbox-view.ts";

/** What a sandbox is made of, all checked. */
export interface SandboxPlan {
  readonly mounts: readonly Mount[];
  readonly network: SandboxNetwork;
  readonly limits: SandboxLimits;
  /** Where the program starts, as it sees it. */
  readonly cwd: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** How bubblewrap is called for a sandbox. */
export interface SandboxCall {
  readonly args: readonly string[];
  /** What it reads from the descriptors 3, 4 and so on. */
  readonly feeds: readonly (string | Uint8Array)[];
}

/**
 * The call of bubblewrap that makes a sandbox. Its options go through a descriptor, so that neither
 * the program nor who lists processes here reads in them what this machine's folders are called.
 *
 * @param filter the filter of system calls, where there is one.
 */
export function sandboxCall(
  plan: SandboxPlan,
  bubblewrap: Bubblewrap,
  filter: Uint8Array | undefined,
): SandboxCall {
  const files = Object.entries(ownFiles(plan.network));
  // 3 is what the options are read from; the files and the filter come after it, then the status.
  const firstFile = 4;
  const filterAt = firstFile + files.length;
  const statusAt = filter === undefined ? filterAt : filterAt + 1;
  const options = [
    ...isolationArguments,
    ...(plan.network === "none" ? ["--unshare-net"] : []),
    ...(bubblewrap.has("--disable-userns") ? ["--disable-userns"] : []),
    ...["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"],
    ...bubblewrap.systemArguments,
    ...sharedFiles(plan.network).flatMap((file) => ["--ro-bind-try", file, file]),
    ...files.flatMap(([file], index) => ["--ro-bind-data", String(firstFile + index), file]),
    ...memoryPlaces(plan.limits, bubblewrap),
    ...plan.mounts.flatMap(({ path, at, writable }) => [
      writable ? "--bind" : "--ro-bind",
      path,
      at,
    ]),
    // Root's settings of the kernel are files of root's, also for a root without any capability.
    ...["/proc", "/dev", "/"].flatMap((place) => ["--remount-ro", place]),
    ...["--chdir", plan.cwd],
    ...["--json-status-fd", String(statusAt)],
    ...(filter === undefined ? [] : ["--seccomp", String(filterAt)]),
  ];
  return {
    args: ["--args", "3", "--", ...limited(plan)],
    feeds: [
      options.map((option) => `${option}\u0000`).join(""),
      ...files.map(([, content]) => content),
      ...(filter === undefined ? [] : [filter]),
    ],
  };
}

/** Files of this machine that programs need. None holds a secret or says who works here. */
function sharedFiles(network: SandboxNetwork): readonly string[] {
  const always = ["alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime"];
  // Certificates, but not the folders of private keys beside them.
  const trust = ["ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "ca-certificates"];
  const redHat = ["pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf", "pki/ca-trust"];
  const names = ["resolv.conf", "hosts", "nsswitch.conf", "gai.conf", "services", "protocols"];
  const files = [...always, ...trust, ...redHat, ...(network === "inherit" ? names : [])];
  return files.map((file) => `/etc/${file}`);
}

/** Files that are the sandbox's own. */
function ownFiles(network: SandboxNetwork): Readonly<Record<string, string>> {
  return {
    "/etc/passwd":
      "sandbox:x:1000:1000:sandbox:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    "/etc/group": "sandbox:x:1000:\nnogroup:x:65534:\n",
    ...(network === "none"
      ? {
          "/etc/hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
          "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
        }
      : {}),
  };
}

function memoryPlaces({ tmpBytes }: SandboxLimits, bubblewrap: Bubblewrap): readonly string[] {
  const bytes = tmpBytes ?? defaultSandboxLimits.tmpBytes;
  const size = bubblewrap.has("--size") ? ["--size", String(bytes)] : [];
  return [
    ...["--proc", "/proc", "--dev", "/dev"],
    ...[...size, "--tmpfs", "/dev/shm"],
    ...[...size, "--tmpfs", "/tmp"],
  ];
}

/**
 * The program behind a shell that lowers its own limits first: they hold for nothing but the sandbox,
 * and cannot be raised again. Shells differ in the letter for processes: dash has -p, others -u.
 */
function limited({ limits, program, args }: SandboxPlan): readonly string[] {
  const { memoryBytes, cpuSeconds, processes, fileBytes } = {
    ...defaultSandboxLimits,
    ...limits,
  };
  const script = [
    "ulimit -c 0",
    `ulimit -d ${Math.max(1, Math.floor(memoryBytes / 1024))}`,
    `ulimit -t ${cpuSeconds}`,
    `ulimit -f ${Math.max(1, Math.floor(fileBytes / 512))}`,
    `{ ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}; }`,
    'exec "$@"',
  ];
  return ["/bin/sh", "-c", script.join(" && "), "sandbox", program, ...args];
}
