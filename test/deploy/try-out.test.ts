import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { kubeconfig } from "#test/support/control-plane/kubeconfig.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { examples } from "#test/support/harness/examples.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { MusterProcess } from "#test/support/harness/muster-process.ts";
import { applyDefinitions } from "./definitions.ts";
import { kustomize } from "./kustomize.ts";
import { Workload } from "./workload.ts";

/**
 * The overlay with this test as its kubelet: it runs the containers' commands with the environment and the tokens that
 * the manifests ask for. What differs from a cluster is told in each case: addresses, and where files are.
 */
describeWithControlPlane("the overlay try-out, run", (controlPlane) => {
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
    const here = (text: string) =>
      text
        .replace("/data", folder)
        .replace("https://kubernetes.default.svc.cluster.local", url)
        .replace("https://kubernetes.default.svc", url)
        .replace("/etc/cluster/ca.crt", caFile);
    platform = new MusterProcess(args.map(here), {
      env: {
        ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, here(value)])),
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

  async function runBootstrap(...more: string[]): Promise<MusterProcess> {
    const flags = ["--platform-url", platformUrl, "--admin-token-file", join(folder, "admin-token")];
    const run = new MusterProcess(["bootstrap", ...flags, "--issuer", controlPlane().url, ...more]);
    await run.ended;
    return run;
  }

  async function bootstrap(): Promise<string> {
    const run = await runBootstrap();
    expect(run.exitCode, run.plainOutput).toBe(0);
    return run.plainOutput;
  }

  it("makes the operator's identity once, however often it is asked to", async () => {
    const said = await bootstrap();
    expect(parse(said)).toMatchObject({
      kind: "ConfigMap",
      metadata: { namespace: "muster-system", name: "muster-identity" },
    });
    expect(await bootstrap()).toBe(said);
  });

  it.each([
    [["--role", "emperor"], '--role: the platform has no role "emperor"'],
    [["--root-group", "0".repeat(40)], "NOT_FOUND"],
  ])("says why the operator's identity cannot be made: %s", async (flags, why) => {
    const run = await runBootstrap(...flags);
    expect(run.exitCode).toBe(1);
    expect(run.plainOutput).toContain(why);
  });

  it("brings all of examples/ to the platform", async () => {
    const { admin, url, ca } = controlPlane();
    const identity = parse(await bootstrap()) as KubeObject;
    await admin.apply(identity);
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
