import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { MusterProcess } from "#test/support/harness/muster-process.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";

describe("muster bootstrap", () => {
  const own = "this-cluster";
  let folder = "";
  let platform: PlatformProcess;
  let platformUrl = "";

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "muster-bootstrap-"));
    const files = ["--data", join(folder, "platform.db"), "--admin-token-file", join(folder, "admin-token")];
    platform = new PlatformProcess(files);
    platformUrl = (await platform.listening()).baseUrl;
  });

  afterAll(async () => {
    await platform.kill();
    await rm(folder, { recursive: true });
  });

  async function runBootstrap(ownerId: string, ...extraFlags: string[]): Promise<MusterProcess> {
    const flags = ["--platform-url", platformUrl, "--admin-token-file", join(folder, "admin-token")];
    const issuer = extraFlags.includes("--issuer") ? [] : ["--issuer", "https://cluster.example"];
    const cluster = [...issuer, "--owner-id", ownerId, "--tenant-namespace", "shop"];
    const roles = ["viewer", "editor", "registry.pull"].flatMap((role) => ["--tenant-role", role]);
    const issuers = ["--tenant-issuer", "https://token.actions.githubusercontent.com"];
    const run = new MusterProcess(["bootstrap", ...flags, ...cluster, ...roles, ...issuers, ...extraFlags]);
    await run.ended;
    return run;
  }

  async function bootstrap(): Promise<string> {
    const run = await runBootstrap(own);
    expect(run.exitCode, run.plainOutput).toBe(0);
    return run.plainOutput;
  }

  const documents = (text: string) => parseAllDocuments(text).map((one) => one.toJS() as KubeObject);

  it("creates the operator's identity once, and prints the same when it is repeated", async () => {
    const said = await bootstrap();
    expect(documents(said)).toMatchObject([
      { kind: "ConfigMap", metadata: { namespace: "muster-system", name: "muster-identity" } },
      {
        kind: "Tenant",
        metadata: { name: "default" },
        spec: { namespaces: ["shop"], claimIssuers: [{ issuer: "https://token.actions.githubusercontent.com" }] },
      },
    ]);
    expect(await bootstrap()).toBe(said);
  });

  it.each([
    [["--role", "emperor"], '--role: the role "emperor" does not exist on the platform'],
    [["--root-group", "0".repeat(40)], "NOT_FOUND"],
  ])("explains why it cannot create the operator's identity: %s", async (flags, reason) => {
    const run = await runBootstrap(own, ...flags);
    expect(run.exitCode).toBe(1);
    expect(run.plainOutput).toContain(reason);
  });

  it("refuses one owner id for two identities, and two for one, unless it is to take over", async () => {
    const refused = [
      await runBootstrap(own, "--subject-token-audience", "another"),
      await runBootstrap("another-cluster"),
    ];
    for (const run of refused) {
      expect(run.exitCode).toBe(1);
      expect(run.plainOutput).toContain("--take-over");
    }
    const rebuilt = await runBootstrap("rebuilt-cluster", "--take-over");
    expect(rebuilt.exitCode, rebuilt.plainOutput).toBe(0);
    expect((await runBootstrap(own, "--take-over")).exitCode).toBe(0);
    expect(await bootstrap()).toContain(own);
  });

  it("changes the identity of a cluster that has another issuer, and makes no second one with its name", async () => {
    const moved = ["--issuer", "https://rebuilt.example"];
    const [first] = documents(await bootstrap());
    const refused = await runBootstrap("another-cluster", ...moved);
    expect(refused.exitCode).toBe(1);
    expect(refused.plainOutput).toContain("--identity-name");
    for (const issuer of [moved, []]) {
      const taken = await runBootstrap(own, ...issuer, "--take-over");
      expect(taken.exitCode, taken.plainOutput).toBe(0);
      expect(documents(taken.plainOutput)[0]).toEqual(first);
    }
    const named = await runBootstrap("another-cluster", ...moved, "--identity-name", "muster-another");
    expect(named.exitCode, named.plainOutput).toBe(0);
  });

  it("gives the operator of a class an identity of its own, which records the class", async () => {
    const ofClass = ["--class", "blue"];
    const first = await runBootstrap(own, ...ofClass);
    expect(first.exitCode, first.plainOutput).toBe(0);
    expect(documents(first.plainOutput)).toMatchObject([
      { kind: "ConfigMap", metadata: { name: "muster-identity-blue" }, data: { MUSTER_CLASS: "blue" } },
      { kind: "Tenant", metadata: { name: "default-blue" }, spec: { class: "blue" } },
    ]);
    expect((await runBootstrap(own, ...ofClass)).plainOutput).toBe(first.plainOutput);
    const authorization = `Bearer ${(await readFile(join(folder, "admin-token"), "utf8")).trim()}`;
    const [configMap] = documents(first.plainOutput);
    const response = await fetch(`${platformUrl}/iam/v2beta1/identities/${configMap?.["data"].MUSTER_IDENTITY}`, {
      headers: { authorization },
    });
    expect(await response.json()).toMatchObject({
      name: "muster-blue",
      description: `[muster-owner:${own}/blue]`,
      claimMatch: { subject: "system:serviceaccount:muster-system:muster-operator-blue" },
    });
  });
});
