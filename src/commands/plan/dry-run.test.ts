import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { Gateway } from "#src/commands/access/gateway.testing.ts";
import { ClusterServer } from "#src/commands/reader/cluster-server.testing.ts";
import { kubeconfigFor } from "#src/commands/reader/kubeconfig.testing.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";

// The operator's own settings and credentials, with the platform itself, and an API server that lists the objects.

const files = mkdtempSync(join(tmpdir(), "muster-dry-run-"));
const cluster = new ClusterServer();
let platform: RunningPlatform;
let gateway: Gateway;
let identity = "";
beforeAll(async () => {
  platform = await RunningPlatform.start();
  gateway = await Gateway.to(platform.url);
  await cluster.listen();
  const { admin, root } = platform;
  identity = await platform.makeIdentity(root, "muster", [new URL(gateway.url).hostname]);
  await admin.ok("PATCH", `/iam/v2beta1/identities/${identity}?updateMask=description`, {
    description: withRecordedOwner("", "prod"),
  });
  await admin.bind(root, identity, await admin.role("owner"));
  writeFileSync(join(files, "token"), await platform.subjectToken(identity, {}, "muster"));
  writeFileSync(join(files, "kubeconfig"), cluster.kubeconfig);
});
afterAll(async () => {
  rmSync(files, { recursive: true });
  await Promise.all([gateway.close(), cluster.close()]);
  await platform.stop();
});

const apiVersion = "iam.muster.dev/v1beta1";
const metadata = (name: string) => ({ name, uid: name, resourceVersion: "1", generation: 1 });
const labels = { "kubernetes.io/metadata.name": "shop" };

beforeEach(() => {
  gateway.calls.length = 0;
  cluster.clear();
  cluster.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { ...metadata("shop"), labels } });
  const spec = { namespaces: ["shop"], groups: [platform.root], roles: ["viewer"] };
  cluster.put("tenants", { apiVersion, kind: "Tenant", metadata: metadata("shop"), spec });
});

function dryRun(...args: readonly string[]) {
  const settings = {
    "--platform-url": platform.url,
    "--auth-url": gateway.url,
    "--token-file": join(files, "token"),
    "--kubeconfig": join(files, "kubeconfig"),
    "--identity": identity,
    "--root-group": platform.root,
    "--allowed-role": "viewer",
    "--owner-id": "prod",
  };
  return runCommand(["operator", "--dry-run", ...Object.entries(settings).flat(), ...args]);
}

it("prints what the operator would do, in a cluster that it has never seen, and writes nothing", async () => {
  const web = { ...metadata("web"), namespace: "shop" };
  cluster.put("groups", { apiVersion, kind: "Group", metadata: web, spec: { parentUid: platform.root } });
  const before = await platform.admin.ok("GET", "/iam/v2beta1/groups");
  const { code, stdout, stderr } = await dryRun();
  expect({ code, stderr }).toEqual({ code: 2, stderr: "muster operator: 1 to create\n" });
  expect(stdout).toContain("+ create group web in");
  expect(stdout).toContain("Access: nobody gains or loses anything");
  expect(await platform.admin.ok("GET", "/iam/v2beta1/groups")).toEqual(before);
  expect(new Set(cluster.calls.map((call) => call.split(" ", 1)[0]))).toEqual(new Set(["GET"]));
  expect(gateway.calls.map((call) => call.split("?")[0])).toEqual(["GET /sts/exchange"]);
  expect(JSON.parse((await dryRun("-o", "json")).stdout)).toMatchObject({ changes: [{ action: "create" }] });
});

it("exits with 1 if the API server is away, after one attempt", async () => {
  const away = join(files, "away");
  writeFileSync(away, kubeconfigFor("http://127.0.0.1:1"));
  const settings = { "--platform-url": platform.url, "--auth-url": gateway.url, "--token-file": join(files, "token") };
  const others = { "--kubeconfig": away, "--identity": identity, "--root-group": platform.root };
  const args = Object.entries({ ...settings, ...others }).flat();
  const run = await runCommand(["operator", "--dry-run", ...args, "--allowed-role", "viewer"]);
  expect(run).toMatchObject({ code: 1, stdout: "" });
});

it("exits with 0 if there is nothing to do, and with 1 after wrong settings, because 2 says that something changes", async () => {
  expect(await dryRun()).toEqual({ code: 0, stdout: "Plan: nothing to do.\n", stderr: "" });
  expect((await runCommand(["operator", "--dry-run"])).code).toBe(1);
});
