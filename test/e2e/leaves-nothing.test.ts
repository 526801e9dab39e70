import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { access, readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, vi } from "vitest";
import { systemPath } from "#test/node/requirements.ts";
import { describeOnNode } from "./describe-with-target.ts";

const execute = promisify(execFile);
const main = fileURLToPath(new URL("../node/main.ts", import.meta.url));
const env = { ...process.env, PATH: systemPath };

/** What a node could leave on a machine. Other tests change none of it. */
async function stateOfMachine() {
  const output = async (command: string, ...args: readonly string[]) => (await execute(command, args, { env })).stdout;
  const tunables = ["vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops"];
  const settings = [...tunables, "net/ipv4/ip_forward", "net/netfilter/nf_conntrack_max"];
  return {
    mounts: await readFile("/proc/self/mounts", "utf8"),
    interfaces: await output("ip", "-brief", "address"),
    routes: await output("ip", "route"),
    rules: await output("iptables-save").then((text) => text.replaceAll(/^#.*\n/gm, "")),
    cgroups: globSync("/sys/fs/cgroup/{,*/}muster-*"),
    settings: await Promise.all(
      settings.map((name) => readFile(`/proc/sys/${name}`, "utf8").catch(() => "there is none")),
    ),
    folders: globSync("/{var/lib,run,etc,opt}/{kubelet,containerd,cni,kubernetes}"),
  };
}

/** The command lines of processes that name the folder of a node, such as the kubelet's. */
async function processesOf(folder: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return lines.filter((line) => line.includes(folder)).map((line) => line.replaceAll("\0", " "));
}

describeOnNode("a node of this machine", () => {
  it.each(["SIGINT", "SIGKILL"] as const)("leaves nothing after %s", async (signal) => {
    const before = await stateOfMachine();
    const command = spawn(process.execPath, [main, "--keep"], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(command, "exit");
    let output = "";
    for await (const text of command.stdout.setEncoding("utf8")) {
      output += String(text);
      if (output.includes("Ctrl-C ends it")) break;
    }
    const [, folder = "none"] = /KUBECONFIG=(\S+)\/admin/.exec(output) ?? [];
    expect(await processesOf(folder)).not.toEqual([]);
    expect((await stateOfMachine()).cgroups).not.toEqual(before.cgroups);

    command.kill(signal);
    await ended;
    await vi.waitFor(
      async () => {
        await expect(access(folder)).rejects.toThrow("ENOENT");
        expect(await processesOf(folder)).toEqual([]);
        expect(await stateOfMachine()).toEqual(before);
      },
      // A gigabyte is removed.
      { timeout: 60_000, interval: 200 },
    );
  });
});
