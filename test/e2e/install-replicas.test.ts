import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { helm } from "#test/deploy/helm.ts";
import { imageValues, operatorNamespace as namespace } from "#test/node/try-out.ts";
import { progressOfCaller, startCaller } from "./caller-pod.ts";
import { certificateSecret, createCertificate, databaseSecret, startDatabase } from "./database-pod.ts";
import { describeWithNode } from "./describe-with-target.ts";
import { createRestricted, removeDefinitions, removeNamespace } from "./restricted-namespace.ts";
import { isReadyPod } from "./restricted-pod.ts";

const replicas = [0, 1, 2].map((index) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `muster-platform-${index}`, namespace },
}));

describeWithNode("three replicas of the platform on PostgreSQL, with TLS", (target) => {
  const inNamespace = () => ["--namespace", namespace, ...target().helmFlags];
  const values = (annotation: string) => ({
    ...imageValues(target().image),
    replicas: 1,
    settings: { allowedRole: ["viewer"] },
    platform: {
      enabled: true,
      replicas: replicas.length,
      podAnnotations: { revision: annotation },
      tls: { secretName: certificateSecret },
      database: { existingSecret: databaseSecret },
    },
  });
  const progress = () => progressOfCaller(target(), namespace);
  let folder = "";

  beforeAll(async () => {
    const { admin } = target();
    folder = await mkdtemp(join(tmpdir(), "muster-e2e-replicas-"));
    await createRestricted(admin, namespace);
    await helm(["install", "muster-crds", "muster-crds", "--wait", ...inNamespace()]);
    await createCertificate(target(), { namespace, folder });
    await startDatabase(target(), namespace);
  });
  afterAll(async () => {
    await helm(["uninstall", "muster", ...inNamespace()]);
    await helm(["uninstall", "muster-crds", ...inNamespace()]);
    await removeDefinitions(target().admin);
    await removeNamespace(target().admin, namespace);
    await rm(folder, { recursive: true });
  });

  it("are installed, and called", async () => {
    await helm(["install", "muster", "muster", "--wait", ...inNamespace()], values("first"));
    await helm(["test", "muster", ...inNamespace()]);
    await startCaller(target(), { namespace, callers: 6 });
    await expect.poll(async () => (await progress()).calls, { timeout: 60_000 }).toBeGreaterThan(100);
    expect((await progress()).failures).toEqual([]);
  });

  it("lose no call while each is evicted, as a drain does", async () => {
    const { admin } = target();
    for (const replica of replicas) {
      const { uid } = (await admin.get(replica)).metadata;
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: replica.metadata };
      await admin.request("POST", `${await admin.pathOf(replica)}/eviction`, { body: eviction });
      await admin.waitFor(replica, (pod) => pod !== undefined && pod.metadata.uid !== uid && isReadyPod(pod), {
        timeoutMs: 90_000,
      });
    }
    expect((await progress()).failures).toEqual([]);
  });

  it("lose no call during an upgrade", async () => {
    const { calls } = await progress();
    await helm(["upgrade", "muster", "muster", "--wait", ...inNamespace()], values("second"));
    for (const replica of replicas)
      expect((await target().admin.get(replica)).metadata.annotations).toMatchObject({ revision: "second" });
    const after = await progress();
    expect(after.failures).toEqual([]);
    expect(after.calls).toBeGreaterThan(calls);
  });
});
