import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { groupKind } from "#src/kinds/group.ts";
import { type Behaviour, json, serve } from "#src/platform-client/misbehaving-server.testing.ts";
import { systemClock } from "#src/time/clock.ts";
import { connectPlatform } from "./connect-platform.ts";

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

it("creates independent sessions for several credentials and boundaries", async () => {
  const folder = await mkdtemp(join(tmpdir(), "muster-connect-"));
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, "own");
  const server = await serve(platform);
  const connections = tenants.map(({ root, identity }) =>
    connectPlatform({ platformUrl: server.url, authUrl: server.url, identity, tokenFile }, [root], {
      collections: [groups],
      connections: 1,
      deadlineMs: 5_000,
      clock: systemClock,
      signal: new AbortController().signal,
      canWrite: () => true,
      settleMs: 15_000,
      observe: () => undefined,
    }),
  );
  try {
    const [own, other] = tenants.map(({ root }) => root);
    const [first, second] = connections.map(({ session }) => session);
    expect(server.requests).toEqual([]);
    await first?.list(groups, { descendantsOf: own ?? "" });
    expect([connections[0]?.credentialEpoch(), connections[1]?.credentialEpoch()]).toEqual([1, 0]);
    await second?.list(groups, { descendantsOf: other ?? "" });
    expect(
      [first, second].map((session) => [...(session?.viewOf(groups).resources() ?? [])].map(({ uid }) => uid)),
    ).toEqual([[`${own}/1111111111111111`], [`${other}/1111111111111111`]]);
    await expect(first?.list(groups, { descendantsOf: other ?? "" })).rejects.toMatchObject({
      problem: { kind: "permissions", scope: other },
    });
  } finally {
    for (const connection of connections) await connection.close();
    await server.close();
    await rm(folder, { recursive: true });
  }
});
