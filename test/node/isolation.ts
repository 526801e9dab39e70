import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { Program } from "#test/support/control-plane/programs.ts";
import { systemPath } from "./requirements.ts";

const execute = promisify(execFile);
const env = { ...process.env, PATH: systemPath };

/**
 * Namespaces of processes, mounts and the network, in which a node can do what it wants: nothing of it is seen outside but one end of
 * a pair of interfaces and a folder of cgroups. All of it ends with this process, even if this one is killed.
 */
export interface Isolation {
  /** The node's address, which only this machine reaches. */
  readonly address: string;
  /** A folder for all files, the same inside and outside. */
  readonly folder: string;
  /** The cgroup below which all containers are. */
  readonly cgroup: string;
  /** The program, to be started in the namespaces. It must end when its standard input does. */
  inside(command: string, args: readonly string[]): Program;
  /** Runs a command in the namespaces. @returns its standard output @throws {Error} with its standard error */
  run(command: string, ...args: readonly string[]): Promise<string>;
  /** Kills all processes and removes everything, the folder, too. It can be called again. */
  end(): Promise<void>;
}

/**
 * Starts the first process of the namespaces, which ends when its standard input does, and removes afterwards what does not end with
 * a namespace. It is a shell so that it survives the end of this process.
 */
const keeper = `
unshare --net --mount --pid --fork --kill-child --mount-proc --propagation private -- "$1" init
find /sys/fs/cgroup/"$2" /sys/fs/cgroup/*/"$2" -depth -type d -exec rmdir {} ';' 2>/dev/null
rm -rf "$3"
`;

/**
 * Prepares the namespaces. What a node writes to is its own: /run, /var/lib and /var/log. The kubelet wants some settings of the
 * kernel, which are the machine's: it reads a file with what it wants, and changes nothing.
 */
const preparation = `
set -e
mount --make-rshared /
mount -t tmpfs -o mode=755 run /run
for name in lib log; do mkdir -p "$1/$name"; mount --bind "$1/$name" "/var/$name"; done
tunable() { echo "$3" >"$1/tunable-$4"; mount --bind "$1/tunable-$4" "/proc/sys/$2"; }
tunable "$1" vm/overcommit_memory 1 overcommit
tunable "$1" vm/panic_on_oom 0 panic-on-oom
tunable "$1" kernel/panic 10 panic
tunable "$1" kernel/panic_on_oops 1 panic-on-oops
tunable "$1" kernel/keys/root_maxkeys 1000000 maxkeys
tunable "$1" kernel/keys/root_maxbytes 25000000 maxbytes
ip link set lo up
ip address add "$2/30" dev eth0
ip link set eth0 up
ip route add default via "$3"
echo 1 >/proc/sys/net/ipv4/ip_forward
if [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ]; then echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables; fi
`;

/** @param init a program whose command `init` is the first process of a namespace: it ends when its standard input does */
export async function isolate(init: string): Promise<Isolation> {
  const id = randomBytes(3).toString("hex");
  const name = `muster-${id}`;
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const child = spawn("/bin/sh", ["-c", keeper, "sh", init, name, folder], {
    // A signal that the terminal sends to its group of processes must not end it.
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
    env,
  });
  const ended = once(child, "exit");
  const end = async () => {
    child.stdin?.destroy();
    await ended;
  };
  try {
    await Promise.race([
      once(createInterface({ input: child.stdout }), "line"),
      ended.then(() => Promise.reject(new Error("the namespaces could not be created"))),
    ]);
    const pid = await firstProcess(child);
    const target = ["--target", String(pid), "--net", "--mount", "--pid", "--"];
    const run = async (command: string, ...args: readonly string[]) =>
      (await execute("nsenter", [...target, command, ...args], { env, maxBuffer: 2 ** 26 })).stdout;
    const [outside, address] = freeAddresses();
    await createCgroups(name);
    await connect(name, outside, pid);
    await run("/bin/sh", "-c", preparation, "sh", folder, address, outside);
    const inside = (command: string, args: readonly string[]) => ({
      command: "nsenter",
      args: [...target, command, ...args],
      endsWithParent: true,
    });
    return { address, folder, cgroup: `/${name}`, inside, run, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The process id of the first process of the namespaces, as seen from here: the only child of the only child. */
async function firstProcess(keeperProcess: ChildProcess): Promise<number> {
  let pid = keeperProcess.pid;
  for (const _ of ["unshare", "init"]) pid = Number(await readFile(`/proc/${pid}/task/${pid}/children`, "utf8"));
  return pid ?? 0;
}

/**
 * Two addresses of a network that is for benchmarks of networks, and is therefore routed nowhere: this machine's, and the node's.
 * Each node has four addresses of it.
 */
function freeAddresses(): readonly [outside: string, inside: string] {
  const taken = new Set(Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)));
  for (;;) {
    const prefix = `198.${randomInt(18, 20)}.${randomInt(256)}`;
    const first = randomInt(64) * 4;
    const outside = `${prefix}.${first + 1}`;
    if (!taken.has(outside)) return [outside, `${prefix}.${first + 2}`];
  }
}

/** The pair of interfaces goes when the namespace of its other end does. */
async function connect(name: string, address: string, pid: number): Promise<void> {
  const ip = async (...args: readonly string[]) => execute("ip", args, { env });
  await ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", String(pid));
  await ip("address", "add", `${address}/30`, "dev", name);
  await ip("link", "set", name, "up");
}

/** Creates the cgroup in each hierarchy of version 1, or in the only one of version 2. */
async function createCgroups(name: string): Promise<void> {
  const root = "/sys/fs/cgroup";
  const entries = await readdir(root, { withFileTypes: true });
  const hierarchies = entries.some((entry) => entry.name === "cgroup.controllers")
    ? ["."]
    : entries.flatMap((entry) => (entry.isDirectory() && entry.name !== "unified" ? [entry.name] : []));
  for (const hierarchy of hierarchies) await mkdir(join(root, hierarchy, name));
}
