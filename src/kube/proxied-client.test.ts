import { expect, test } from "vitest";
import { startConnectProxy } from "#src/http/connect-proxy.testing.ts";
import { Proxies } from "#src/http/proxies.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { KubeClient } from "./client.ts";
import { json, ScriptedServer } from "./scripted-server.testing.ts";

const groups = { group: "iam.muster.dev", version: "v1beta1", plural: "groups", kind: "Group" };

test("requests and watches reach the API server through the proxy", async () => {
  const server = new ScriptedServer();
  const { port } = await server.listen();
  const proxy = await startConnectProxy({ targetPort: Number(port) });
  const proxies = await Proxies.forEveryTarget(proxy.url.href);
  const connection = {
    server: new URL("http://kube.example:6443"),
    token: async () => "token",
    ...(proxies && { proxies }),
  };
  const client = new KubeClient({ connection, connections: 1, clock });
  const { signal } = new AbortController();
  try {
    const object = { metadata: { name: "payments" } };
    server.respondsWith(json(object), (response) => response.end(`${JSON.stringify({ type: "ADDED", object })}\n`));
    expect(await client.get(groups, "shop", "payments", { signal })).toEqual(object);
    const events = client.watch(groups, { resourceVersion: "1", timeoutSeconds: 10, signal });
    expect((await events.next()).value).toMatchObject({ type: "ADDED" });
    await events.return(undefined);
    expect(proxy.tunnels).toEqual(["kube.example:6443", "kube.example:6443"]);
  } finally {
    await client.close();
    await proxy.close();
    await server.close();
  }
});
