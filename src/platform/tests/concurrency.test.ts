import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type TestResponse, type Client, type Json, RunningPlatform } from "./running-platform.testing.ts";

const rounds = 12;

let platforms: readonly RunningPlatform[] = [];
let callers: readonly Client[] = [];
let root = "";
beforeAll(async () => {
  const first = await RunningPlatform.start({ uniqueNames: true });
  const second = () => RunningPlatform.start({ uniqueNames: true }, { replicaOf: first });
  platforms = inject("backend") === "postgres" ? [first, await second()] : [first];
  callers = platforms.map(({ admin }) => admin);
  root = platforms[0]?.root ?? "";
}, 60_000);
afterAll(async () => {
  for (const platform of platforms.toReversed()) await platform.stop();
});

const caller = (number: number) => callers[number % callers.length] as Client;
/** Makes the calls concurrently, each on another replica. */
const concurrently = (...calls: readonly ((client: Client) => Promise<TestResponse>)[]) =>
  Promise.all(calls.map((call, number) => call(caller(number))));
const succeeded = (responses: readonly TestResponse[]) => responses.filter(({ status }) => status === 200).length;
const everything = async (path: string, key: string): Promise<{ items: Json[]; total: number }> => {
  const items: Json[] = [];
  for (let token: string | undefined = "", number = 0; ; number++) {
    const separator = path.includes("?") ? "&" : "?";
    // Each page comes from another replica: they share the key of page tokens.
    const page: Json = await caller(number).ok("GET", `${path}${separator}page_size=50&page_token=${token}`);
    items.push(...(page[key] as Json[]));
    token = page.nextPageToken;
    if (token === undefined) return { items, total: Number(page.totalCount) };
  }
};

describe("concurrent calls", () => {
  it("either delete a group or create a child in it, never both", { timeout: 60_000 }, async () => {
    const identity = await caller(0).identity(root, "bound");
    const viewer = await caller(0).role("viewer");
    for (let round = 0; round < rounds; round++) {
      const group = await caller(round).group(root, `parent ${round}`);
      const [deleted, ...created] = await concurrently(
        (client) => client.delete(`/iam/v2beta1/groups/${group}`),
        (client) => client.post(`/iam/v2beta1/groups/${group}`, { name: "child" }),
        (client) => client.post(`/iam/v2beta1/roles/${group}`, { name: "r", capabilities: ["CAP_IAM_GROUPS_LIST"] }),
        (client) => client.post(`/iam/v2beta1/roleBindings/${group}`, { identityUid: identity, roleUid: viewer }),
        (client) => client.post(`/registry/v2beta1/repos/${group}`, { name: "repo" }),
      );
      const exists = (await caller(round).get(`/iam/v2beta1/groups/${group}`)).status === 200;
      expect(exists).toBe(deleted?.status !== 200);
      expect(succeeded(created) > 0, created.map(({ text }) => text).join("\n")).toBe(exists);
      for (const path of [
        "iam/v2beta1/groups",
        "iam/v2beta1/roles",
        "iam/v2beta1/roleBindings",
        "registry/v2beta1/repos",
      ]) {
        const { totalCount } = await caller(round).ok("GET", `/${path}?uidp.descendants_of=${group}`);
        if (!exists) expect(totalCount, path).toBe("0");
      }
    }
  });

  it("either delete a role or bind it, never both", { timeout: 60_000 }, async () => {
    const identity = await caller(0).identity(root, "another");
    for (let round = 0; round < rounds; round++) {
      const role = { name: `role ${round}`, capabilities: ["CAP_IAM_GROUPS_LIST"] };
      const { uid } = await caller(0).ok("POST", `/iam/v2beta1/roles/${root}`, role);
      const group = await caller(0).group(root, `bound ${round}`);
      const bind = (client: Client) =>
        client.post(`/iam/v2beta1/roleBindings/${group}`, { identityUid: identity, roleUid: uid });
      const [bound, deleted] = await concurrently(bind, (client) => client.delete(`/iam/v2beta1/roles/${uid}`));
      expect([bound, deleted].map((response) => response?.status === 200)).toContain(true);
      expect(bound?.status === 200 && deleted?.status === 200).toBe(false);
      const { totalCount } = await caller(round).ok("GET", `/iam/v2beta1/roleBindings?role=${uid}`);
      expect(totalCount).toBe(bound?.status === 200 ? "1" : "0");
    }
  });

  it("create one of several equal resources with --unique-names, and reject the others", {
    timeout: 60_000,
  }, async () => {
    const viewer = await caller(0).role("viewer");
    for (let round = 0; round < rounds; round++) {
      const create = (client: Client) => client.post(`/iam/v2beta1/groups/${root}`, { name: `same ${round}` });
      const groups = await concurrently(create, create, create, create);
      expect(groups.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
      const group = groups.find(({ status }) => status === 200)?.body.uid ?? "";
      const identity = await caller(round).identity(group);
      const bind = (client: Client) =>
        client.post(`/iam/v2beta1/roleBindings/${group}`, { identityUid: identity, roleUid: viewer });
      const bindings = await concurrently(bind, bind, bind);
      expect(bindings.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    }
  });

  it("create a tag once, whatever replica each of them calls", async () => {
    const { uid: repo } = await caller(0).ok("POST", `/registry/v2beta1/repos/${root}`, { name: "tagged" });
    const tag = (digit: number) => ({ name: "latest", digest: `sha256:${String(digit).repeat(64)}` });
    const path = `/registry/v2beta1/tags/${repo}`;
    const made = await concurrently(
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => (at: Client) => at.post(path, tag(n))),
    );
    expect(succeeded(made)).toBe(10);
    expect(new Set(made.map(({ body }) => body.uid)).size).toBe(1);
    expect(await caller(0).ok("GET", `/registry/v2beta1/tags?uidp.children_of=${repo}`)).toMatchObject({
      totalCount: "1",
    });
  });

  it("leave exact counts", async () => {
    const collections = { groups: "groups", identities: "identities", roles: "roles", roleBindings: "roleBindings" };
    for (const [path, key] of Object.entries(collections)) {
      const { items, total } = await everything(`/iam/v2beta1/${path}?uidp.descendants_of=${root}`, key);
      expect(total, path).toBe(items.length);
      expect(new Set(items.map(({ uid }) => uid)).size, path).toBe(items.length);
    }
  });
});

it("concurrent initializations create one root group, and replicas accept each other's tokens", {
  timeout: 60_000,
}, async () => {
  const settings = { baseUrl: "http://platform.example.com", authUrl: "http://platform.example.com" };
  const first = await RunningPlatform.start(settings);
  const others = await Promise.all([1, 2].map(() => RunningPlatform.start(settings, { replicaOf: first })));
  expect(others.map((other) => other.root)).toEqual([first.root, first.root]);
  const identity = await first.makeIdentity(first.root);
  await first.admin.bind(first.root, identity, await first.admin.role("viewer"));
  const exchanger = first.as(await first.subjectToken(identity));
  const { body } = await exchanger.get(`/sts/exchange?aud=${settings.baseUrl}&identity=${identity}`);
  for (const other of others) {
    expect((await other.as(body.token).ok("GET", "/iam/v2beta1/groups")).groups[0]?.uid).toBe(first.root);
    expect((await other.admin.get(`/iam/v2beta1/groups/${first.root}`)).status).toBe(200);
  }
  const refreshed = await others[0]?.as(String(body["refreshToken"])).send("POST", "/sts/exchange_refresh_token");
  expect(refreshed?.status, refreshed?.text).toBe(200);
  // A refresh token that was used on one replica is used on all.
  const again = await others[1]?.as(String(body["refreshToken"])).send("POST", "/sts/exchange_refresh_token");
  expect(again?.body["code"]).toBe(7);
  for (const platform of [...others, first]) await platform.stop();
});
