import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ResourceKind } from "#src/kube/object.ts";
import { json, ScriptedServer } from "#src/kube/scripted-server.testing.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { connectKubernetes } from "./connect-kubernetes.ts";

const group = { group: "iam.muster.dev", version: "v1beta1", plural: "groups", kind: "Group" };
const lease: ResourceKind = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
};

test("a Lease does not wait for the requests of the workers, none of which the API server answers", async () => {
  const server = new ScriptedServer();
  const { href } = await server.listen();
  const folder = await mkdtemp(join(tmpdir(), "muster-connect-"));
  const kubeconfig = join(folder, "kubeconfig");
  const document = {
    clusters: [{ name: "it", cluster: { server: href, "insecure-skip-tls-verify": true } }],
    users: [{ name: "it", user: { token: "secret" } }],
    contexts: [{ name: "it", context: { cluster: "it", user: "it" } }],
    "current-context": "it",
  };
  await writeFile(kubeconfig, JSON.stringify(document));
  const workers = 2;
  const settings = { kubeconfig, context: undefined, serviceAccountDirectory: folder, workers };
  const { kube, leases } = await connectKubernetes(settings, { env: {}, clock, observe: () => undefined });
  const abort = new AbortController();
  const { signal } = abort;
  try {
    const unanswered = Array.from({ length: workers }, () => () => undefined);
    server.respondsWith(...unanswered, json({ metadata: { name: "muster" } }));
    const calls = unanswered.map((_, index) => kube.get(group, "ns", `g${index}`, { signal }).catch(() => undefined));
    for (const _ of calls) await server.nextRequest();
    const found = await leases.get(lease, "ns", "muster", { signal, deadlineMs: 2_000 });
    expect(found.metadata.name).toBe("muster");
    abort.abort(new Error("the test is over"));
    await Promise.all(calls);
  } finally {
    await Promise.all([kube.close(), leases.close()]);
    await server.close();
    await rm(folder, { recursive: true });
  }
});
