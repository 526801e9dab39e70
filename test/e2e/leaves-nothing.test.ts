import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { access, readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, vi } from "vitest";
import { systemPath } from "#test/node/requirements.ts";
import { describeOnNode } from "./describe-with-target.ts";
import { kubectl } from "./kubectl.ts";

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
    routes: await output("ip", "-4", "route", "show", "table", "all"),
    routingRules: await output("ip", "rule"),
    rules: await output("iptables-save").then(withoutComments),
    rulesOfIpv6: await output("ip6tables-save").then(withoutComments),
    sets: await output("ipset", "save").catch(() => "there is no ipset"),
    cgroups: globSync("/sys/fs/cgroup/{,*/}muster-*"),
    settings: await Promise.all(
      settings.map((name) => readFile(`/proc/sys/${name}`, "utf8").catch(() => "there is none")),
    ),
    folders: globSync("/{var/lib,run,etc,opt}/{kubelet,containerd,cni,kubernetes}"),
  };
}

/** When a program of iptables wrote it is in comments. */
const withoutComments = (rules: string): string => rules.replaceAll(/^#.*\n/gm, "");

/** The command lines of processes that name the folder of a node, such as the kubelet's, by their ids. */
async function processesOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const read = async (pid: string) => [pid, await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")] as const;
  const lines = (await Promise.all(pids.map(read))).filter(([, line]) => line.includes(folder));
  return new Map(lines.map(([pid, line]) => [pid, line.replaceAll("\0", " ")]));
}

/** Applies a policy to the DNS of the cluster, and waits until the node has sets of addresses for it. */
async function limitDns(folder: string): Promise<void> {
  const selector = { matchLabels: { "k8s-app": "kube-dns" } };
  const from = [{ ipBlock: { cidr: "10.0.0.0/8" } }];
  await kubectl({ kubectlFlags: ["--kubeconfig", `${folder}/admin.kubeconfig`] }, ["apply", "--filename", "-"], {
    input: JSON.stringify({
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "dns", namespace: "kube-system" },
      spec: { podSelector: selector, ingress: [{ from }] },
    }),
  });
  const [kubelet = ""] = [...(await processesOf(folder))].find(([, line]) => line.includes("kubelet.json")) ?? [];
  const sets = async () => (await execute("nsenter", ["--target", kubelet, "--net", "ipset", "save"], { env })).stdout;
  await expect.poll(sets, { timeout: 30_000 }).toMatch(/^create KUBE-/m);
}

describeOnNode("a node of this machine", () => {
  it.each([
    ["SIGINT", "a node", []],
    ["SIGKILL", "a node", []],
    ["SIGINT", "one that enforces network policies", ["--network-policies"]],
    ["SIGKILL", "one that enforces network policies", ["--network-policies"]],
  ] as const)("leaves nothing after %s: %s", async (signal, _, flags) => {
    const before = await stateOfMachine();
    const command = spawn(process.execPath, [main, "--keep", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(command, "exit");
    let output = "";
    for await (const text of command.stdout.setEncoding("utf8")) {
      output += String(text);
      if (output.includes("Ctrl-C ends it")) break;
    }
    const [, folder = "none"] = /KUBECONFIG=(\S+)\/admin/.exec(output) ?? [];
    expect((await processesOf(folder)).size).toBeGreaterThan(0);
    expect((await stateOfMachine()).cgroups).not.toEqual(before.cgroups);
    if (flags.length > 0) await limitDns(folder);

    command.kill(signal);
    await ended;
    await vi.waitFor(
      async () => {
        await expect(access(folder)).rejects.toThrow("ENOENT");
        expect([...(await processesOf(folder)).values()]).toEqual([]);
        expect(await stateOfMachine()).toEqual(before);
      },
      // A gigabyte is removed.
      { timeout: 60_000, interval: 200 },
    );
  });
});
