import { afterAll, beforeAll, expect, it } from "vitest";
import { operatorRights } from "#src/commands/operator/operator-rights.ts";
import { ClusterReads } from "#src/commands/reader/cluster-reads.ts";
import { ClusterServer } from "#src/commands/reader/cluster-server.testing.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { KubeClient } from "#src/kube/client.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { rightsLink } from "./rights-link.ts";

const server = new ClusterServer();
let kube: KubeClient;
beforeAll(async () => {
  await server.listen();
  kube = new KubeClient({ connection: { server: new URL(server.url), token: async () => "t" }, clock });
});
afterAll(async () => {
  await kube.close();
  await server.close();
});

it("asks the operator's service account only about itself, because it may not ask about others", async () => {
  const asked = new Set<string | undefined>();
  server.permits = (_, user) => {
    asked.add(user);
    return true;
  };
  server.forbidden.add("subjectaccessreviews");
  const cluster = new ClusterReads(kube, new AbortController().signal);
  const place = { namespace: "muster-system", name: "muster-operator" };
  expect(await rightsLink(cluster, place, operatorRights(kinds), true)).toMatchObject({ state: "ok" });
  expect([...asked]).toEqual([undefined]);
  expect(await rightsLink(cluster, place, operatorRights(kinds))).toMatchObject({ state: "unknown" });
});
