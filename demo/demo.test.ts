import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { kubeconfig } from "#test/support/control-plane/kubeconfig.ts";
import { describeWithBareControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { customResourceDefinitions } from "#test/support/harness/custom-resource-definitions.ts";
import { listenOnLoopback } from "#test/support/loopback.ts";

const main = join(import.meta.dirname, "main.ts");

describeWithBareControlPlane("npm run demo, in a pipe", (controlPlane) => {
  /** The demo's folder for temporary files, so that a test sees those that it leaves. */
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "muster-demo-test-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Runs the demo. @param onOutput called with all output so far */
  const start = (flags: readonly string[], onOutput?: (output: string, pid: number) => void) => {
    const child = spawn(process.execPath, [main, ...flags], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: folder, FORCE_COLOR: undefined },
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      onOutput?.(output, child.pid ?? 0);
    });
    const errors = text(child.stderr);
    return once(child, "close").then(async ([code]) => ({
      code: code as number,
      output,
      errors: await errors,
    }));
  };

  it("runs all chapters, exits with 0 and leaves no file", async () => {
    const { code, output, errors } = await start([]);
    expect(errors).toBe("");
    expect(code, output).toBe(0);
    expect(output).toContain("✓ It reads the repositories of the group:");
    expect(output).toMatch(/HTTP 403, code 7: Permission denied: repo.create is required/);
    expect(output).toContain("The same token reads nothing from then on.");
    expect(output).toMatch(/All 7 objects are Ready [^]+ \d+ writes to Kubernetes/);
    expect(output).toContain("└─ checkout production");
    expect(output).toMatch(/The platform has the new description after \d+ ms/);
    expect(output).toContain("restored the subject repo:example/shop:ref:refs/heads/main");
    expect(output).toMatch(/exactly one of claimMatch, serviceAccountRef,\s+staticKeys and awsIdentity must be set/);
    expect(output).toMatch(/TenantDenied: .*the role owner/);
    expect(output).toMatch(/RoleBinding builds-edit +deleted[^]*Identity builds +deleted[^]*Group shop +deleted/);
    expect(output).toContain("Summary");
    // A pipe gets no escape sequence.
    expect(output).not.toContain("\u001b");
    expect(await readdir(folder)).toEqual([]);
  });

  it("runs in an existing cluster, in a new namespace, and leaves only the objects from before", async () => {
    const { admin, kubeconfigFile } = controlPlane();
    const inCluster = async () => {
      const kinds = [
        { apiVersion: "v1", kind: "Namespace" },
        { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" },
        { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding" },
        { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      ];
      const lists = await Promise.all(kinds.map((kind) => admin.list(kind)));
      return lists.flat().map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.uid}`);
    };
    const [groups] = await customResourceDefinitions();
    if (groups !== undefined) await admin.apply(groups);
    const before = await inCluster();
    const { code, output } = await start(["--kubeconfig", kubeconfigFile]);
    expect(code, output).toBe(0);
    expect(output).toContain("the demo uses the new namespace muster-demo-");
    expect(await inCluster()).toEqual(before);
  });

  it("leaves nothing in the cluster when it is interrupted", async () => {
    const { admin, kubeconfigFile } = controlPlane();
    let interrupted = false;
    const { code, output } = await start(["--kubeconfig", kubeconfigFile], (said, pid) => {
      if (interrupted || !said.includes("Change the platform outside Kubernetes")) return;
      interrupted = true;
      process.kill(pid, "SIGINT");
    });
    expect(code, output).toBe(130);
    const namespaces = await admin.list({ apiVersion: "v1", kind: "Namespace" });
    expect(namespaces.filter(({ metadata }) => metadata.name.startsWith("muster-demo-"))).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("fails with the reason if the platform's port is in use", async () => {
    const server = createServer();
    const port = await listenOnLoopback(server);
    const { code, output } = await start(["--platform-port", String(port)]);
    server.close();
    expect(code).toBe(1);
    expect(output).toContain(`The demo failed: --platform-port: port ${port} of 127.0.0.1 is in use`);
    expect(await readdir(folder)).toEqual([]);
  });

  it("fails with the reason and the operator's last output if the operator ends", async () => {
    let killed = false;
    const { code, output } = await start(["--kubeconfig", controlPlane().kubeconfigFile], (said, pid) => {
      if (killed || !said.includes("Change the platform outside Kubernetes")) return;
      killed = true;
      process.kill(operatorOf(pid), "SIGKILL");
    });
    expect(code, output).toBe(1);
    expect(output).toContain("The demo failed: the operator ended (SIGKILL)");
    expect(output).toMatch(/The operator's last output:\n +\d\d:\d\d:\d\d info/);
  });

  it("names the missing permissions in a cluster", async () => {
    const { admin, url, ca } = controlPlane();
    await admin.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "reader", namespace: "default" } });
    const token = await admin.createToken("default", "reader");
    const file = join(folder, "kubeconfig");
    await writeFile(file, kubeconfig({ url, ca, token, user: "reader" }));
    const { code, output } = await start(["--kubeconfig", file]);
    expect(code).toBe(1);
    expect(output).toContain("you are not allowed to create namespaces, delete namespaces");
  });

  it("distinguishes a cluster that rejects the credentials from one that does not respond", async () => {
    const { url, ca } = controlPlane();
    const file = join(folder, "kubeconfig");
    await writeFile(file, kubeconfig({ url, ca, token: "nobody's", user: "nobody" }));
    expect(await start(["--kubeconfig", file])).toMatchObject({
      code: 1,
      output: expect.stringContaining(`the cluster at ${url} rejects your credentials`),
    });
    await writeFile(file, kubeconfig({ url: "https://127.0.0.1:1", ca, token: "nobody's", user: "nobody" }));
    expect(await start(["--kubeconfig", file])).toMatchObject({
      code: 1,
      output: expect.stringContaining("the cluster at https://127.0.0.1:1 does not respond"),
    });
  });
});

it("prints its usage, and names an unknown flag", () => {
  expect(spawnSync(process.execPath, [main, "--help"], { encoding: "utf8" })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("--keep"),
  });
  expect(spawnSync(process.execPath, [main, "--keeep"], { encoding: "utf8" })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("Unknown option '--keeep'"),
  });
});

/** The process id of the operator that a demo has started. @param demo the process id of the demo */
function operatorOf(demo: number): number {
  const processes = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const operator = processes
    .map((line) => /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [])
    .find(([, , parent, args]) => Number(parent) === demo && /(main\.ts|muster\.mjs) operator/.test(args ?? ""));
  if (operator === undefined) throw new Error("the demo has no operator");
  return Number(operator[1]);
}

it("ends the tour, and says what is missing, if Kubernetes cannot be built", async () => {
  const folder = await mkdtemp(join(tmpdir(), "muster-demo-test-"));
  const env = { ...process.env, PATH: folder, TMPDIR: folder, XDG_CACHE_HOME: folder, KUBEBUILDER_ASSETS: "" };
  const { status, stdout } = spawnSync(process.execPath, [main], { encoding: "utf8", env });
  expect(stdout).toContain("The demo failed: Go is not installed: install Go 1.26 or newer");
  expect(stdout).toContain("Or use a cluster that you have: npm run demo -- --context NAME");
  expect(stdout).not.toContain("2. Start Kubernetes");
  expect(status).toBe(1);
  await rm(folder, { recursive: true });
});
