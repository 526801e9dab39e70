import { expect, it } from "vitest";
import { startConnectProxy } from "#src/http/connect-proxy.testing.ts";
import { Proxies } from "#src/http/proxies.ts";
import { groupKind } from "#src/kinds/group.ts";
import { type Behaviour, json, serve } from "#src/platform-client/misbehaving-server.testing.ts";
import { systemClock } from "#src/time/clock.ts";
import { PlatformConnection } from "./connect-platform.ts";

const { collection: groups } = groupKind;
const owner = "d".repeat(40);
const tenants = ["a", "b"].map((letter) => {
  const root = letter.repeat(40);
  return { root, identity: `${root}/0000000000000001`, token: `token-${letter}` };
});

/** A platform on which each tenant's identity owns the tenant's root group. */
const platform: Behaviour = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://platform");
  const tenant = tenants.find(
    ({ token, identity }) =>
      request.headers.authorization === `Bearer ${token}` || searchParams.get("identity") === identity,
  );
  if (tenant === undefined) return json(401, { code: 16, message: "unknown token" })(request, response);
  const { root, identity, token } = tenant;
  const roles = [{ uid: owner, name: "owner", capabilities: ["CAP_IAM_GROUPS_LIST"] }];
  const roleBindings = [{ uid: `${root}/0000000000000002`, identity: { uid: identity }, role: { uid: owner } }];
  const below = [{ uid: `${root}/1111111111111111`, name: "payments" }];
  if (pathname === "/sts/exchange") return json(200, { token })(request, response);
  if (pathname === `/iam/v2beta1/groups/${root}`) return json(200, { uid: root, name: "root" })(request, response);
  return json(200, { roles, roleBindings, groups: below, totalCount: "1" })(request, response);
};

const options = {
  collections: [groups],
  connections: 1,
  deadlineMs: 5_000,
  clock: systemClock,
  random: () => 0.5,
  canWrite: () => true,
  settleMs: 15_000,
  observe: () => undefined,
};

it("sessions of one platform share connections, and neither tokens nor what they have seen", async () => {
  const server = await serve(platform);
  const connection = new PlatformConnection({ platformUrl: server.url, authUrl: server.url }, options);
  const sessions = tenants.map(({ root, identity }) =>
    connection.openSession(
      { identity, roots: [root], readSubjectToken: async () => "own" },
      "cluster",
      new AbortController().signal,
    ),
  );
  try {
    const [own, other] = tenants.map(({ root }) => root);
    const [first, second] = sessions.map(({ session }) => session);
    expect(server.requests).toEqual([]);
    await first?.list(groups, { descendantsOf: own ?? "" });
    expect(sessions.map(({ credentialEpoch }) => credentialEpoch())).toEqual([1, 0]);
    await second?.list(groups, { descendantsOf: other ?? "" });
    expect(
      [first, second].map((session) => [...(session?.viewOf(groups).resources() ?? [])].map(({ uid }) => uid)),
    ).toEqual([[`${own}/1111111111111111`], [`${other}/1111111111111111`]]);
    await expect(first?.list(groups, { descendantsOf: other ?? "" })).rejects.toMatchObject({
      problem: { kind: "permissions", scope: other },
    });
    expect(first?.posts).toBe(second?.posts);
  } finally {
    await connection.close();
    await server.close();
  }
});

it("calls the platform and its token service through the proxy of the environment", async () => {
  const server = await serve(platform);
  const proxy = await startConnectProxy({ targetPort: Number(server.url.port) });
  const proxies = await Proxies.fromEnvironment({ HTTP_PROXY: proxy.url.href });
  const platformUrl = new URL("http://platform.example");
  const connection = new PlatformConnection({ platformUrl, authUrl: new URL("http://auth.example"), proxies }, options);
  try {
    const [{ root, identity } = { root: "", identity: "" }] = tenants;
    const credential = { identity, roots: [root], readSubjectToken: async () => "own" };
    const { session } = connection.openSession(credential, "cluster", new AbortController().signal);
    await session.list(groups, { descendantsOf: root });
    expect(new Set(proxy.tunnels)).toEqual(new Set(["auth.example:80", "platform.example:80"]));
  } finally {
    await connection.close();
    await proxy.close();
    await server.close();
  }
});
