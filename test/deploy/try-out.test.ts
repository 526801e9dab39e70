import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { kubeconfig } from "#test/support/control-plane/kubeconfig.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { examples } from "#test/support/harness/examples.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { ownerIdOf } from "#test/support/harness/operator-identity.ts";
import { MusterProcess } from "#test/support/harness/muster-process.ts";
import { applyDefinitions } from "./definitions.ts";
import { kustomize } from "./kustomize.ts";
import { Workload } from "./workload.ts";

/**
 * This test takes the place of the kubelet: it runs the containers' commands with the environment and the tokens that the
 * manifests define. Only addresses and the paths of files differ from a cluster.
 */
describeWithControlPlane("a running deployment of the overlay try-out", (controlPlane) => {
  let folder = "";
  let objects: readonly KubeObject[] = [];
  let platform: MusterProcess;
  let operator: MusterProcess | undefined;
  let platformUrl = "";

  beforeAll(async () => {
    const { admin, url, caFile } = controlPlane();
    folder = await mkdtemp(join(tmpdir(), "muster-try-out-"));
    objects = await kustomize("overlays/try-out");
    await applyDefinitions(admin);
    for (const object of objects) await admin.apply(object);

    const { args, environment } = new Workload(objects, "StatefulSet", "platform");
    const localized = (text: string) =>
      text
        .replace("/data", folder)
        .replace("https://kubernetes.default.svc.cluster.local", url)
        .replace("https://kubernetes.default.svc", url)
        .replace("/etc/cluster/ca.crt", caFile);
    platform = new MusterProcess(args.map(localized), {
      env: {
        ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, localized(value)])),
        MUSTER_LISTEN: "127.0.0.1:0",
        MUSTER_BASE_URL: "",
      },
    });
    platformUrl = `http://${String((await platform.logged("listening"))["address"])}`;
  });

  afterAll(async () => {
    await operator?.kill();
    await platform.kill();
    await rm(folder, { recursive: true });
  });

  async function runBootstrap(ownerId: string, ...extraFlags: string[]): Promise<MusterProcess> {
    const flags = ["--platform-url", platformUrl, "--admin-token-file", join(folder, "admin-token")];
    const issuer = extraFlags.includes("--issuer") ? [] : ["--issuer", controlPlane().url];
    const cluster = [...issuer, "--owner-id", ownerId, "--tenant-namespace", "shop"];
    const roles = ["viewer", "editor", "registry.pull"].flatMap((role) => ["--tenant-role", role]);
    const issuers = ["--tenant-issuer", "https://token.actions.githubusercontent.com"];
    const run = new MusterProcess(["bootstrap", ...flags, ...cluster, ...roles, ...issuers, ...extraFlags]);
    await run.ended;
    return run;
  }

  async function bootstrap(): Promise<string> {
    const run = await runBootstrap(await ownerIdOf(controlPlane()));
    expect(run.exitCode, run.plainOutput).toBe(0);
    return run.plainOutput;
  }

  const documents = (text: string) => parseAllDocuments(text).map((one) => one.toJS() as KubeObject);

  it("bootstrap creates the operator's identity once, and prints the same when it is repeated", async () => {
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
  ])("bootstrap explains why it cannot create the operator's identity: %s", async (flags, reason) => {
    const run = await runBootstrap(await ownerIdOf(controlPlane()), ...flags);
    expect(run.exitCode).toBe(1);
    expect(run.plainOutput).toContain(reason);
  });

  it("bootstrap refuses one owner id for two identities, and two for one, unless it is to take over", async () => {
    const own = await ownerIdOf(controlPlane());
    const refused = [await runBootstrap(own, "--audience", "another"), await runBootstrap("another-cluster")];
    for (const run of refused) {
      expect(run.exitCode).toBe(1);
      expect(run.plainOutput).toContain("--take-over");
    }
    const rebuilt = await runBootstrap("rebuilt-cluster", "--take-over");
    expect(rebuilt.exitCode, rebuilt.plainOutput).toBe(0);
    expect((await runBootstrap(own, "--take-over")).exitCode).toBe(0);
    expect(await bootstrap()).toContain(own);
  });

  it("bootstrap changes the identity of a cluster that has another issuer, and makes no second one with its name", async () => {
    const own = await ownerIdOf(controlPlane());
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

  it("bootstrap gives the operator of a class an identity of its own, which records the class", async () => {
    const own = await ownerIdOf(controlPlane());
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

  it("creates the resources of examples/ on the platform", async () => {
    const { admin, url, ca } = controlPlane();
    const printed = documents(await bootstrap());
    const [identity] = printed as [KubeObject];
    for (const object of printed) await admin.apply(object);
    const deployed = new Workload([...objects, identity], "Deployment", "muster-operator");

    const { namespace, serviceAccount } = deployed;
    const token = await admin.createToken(namespace, serviceAccount);
    await writeFile(join(folder, "kubeconfig"), kubeconfig({ url, ca, token, user: serviceAccount }), { mode: 0o600 });
    for (const { path, audience, expirationSeconds } of deployed.projectedTokens) {
      const projected = await admin.createToken(namespace, serviceAccount, {
        audiences: [audience],
        expirationSeconds,
      });
      await writeFile(join(folder, path), projected, { mode: 0o600 });
    }
    operator = new MusterProcess(deployed.args, {
      env: {
        ...deployed.environment,
        MUSTER_LISTEN: "127.0.0.1:0",
        MUSTER_PLATFORM_URL: platformUrl,
        MUSTER_TOKEN_FILE: join(folder, "token"),
        MUSTER_KUBECONFIG: join(folder, "kubeconfig"),
        MUSTER_LEASE_NAMESPACE: namespace,
      },
    });
    const { address } = await operator.logged("listening");

    const declared = await examples(identity["data"].MUSTER_ROOT_GROUP);
    for (const object of declared) await admin.apply(object);
    for (const object of declared) await admin.waitFor(object, isReady);

    for (const [workload, at] of [
      [deployed, String(address)],
      [new Workload(objects, "StatefulSet", "platform"), platformUrl],
    ] as const)
      for (const path of workload.probePaths) expect((await fetch(at + path)).status, path).toBe(200);
  });
});
