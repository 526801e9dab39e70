import { describe, expect, it } from "vitest";
import type { ReadApi } from "#src/platform-client/api.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { ExternalResource, ResourceType } from "#src/platform-client/collection.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import { groupOfScope, type ListQuery } from "#src/platform-client/api.ts";
import { OverlayPlatform } from "./overlay-platform.ts";
import { ProvenReads } from "./proven-reads.ts";

const root = "a".repeat(40);
const shop = `${root}/00000000000000a1`;
const ci = `${shop}/00000000000000b1`;
const viewer = "c".repeat(40);
const me = `${root}/0000000000000001`;
const collections = kinds.map(({ collection }) => collection);
const typeOf = (name: string) => kinds.find(({ collection }) => collection.name === name)?.collection as ResourceType;
const [groups, identities, roleBindings] = [typeOf("groups"), typeOf("identities"), typeOf("roleBindings")];
const roles = typeOf("roles");

/** A platform with one group, its identity and one grant. It throws at any call but reads, which it counts. */
function platform(capabilities = collections.map(({ listCapability }) => listCapability)) {
  const binding = (uid: string, identity: string) => ({
    uid,
    identity: { uid: identity, name: "" },
    role: { uid: viewer, name: "viewer" },
  });
  const data: Readonly<Record<string, readonly object[]>> = {
    groups: [{ uid: shop, name: "shop", description: "" }],
    identities: [{ uid: ci, name: "ci", description: "" }],
    roleBindings: [binding(`${root}/0000000000000002`, me), binding(`${shop}/00000000000000c1`, ci)],
    roles: [{ uid: viewer, name: "viewer", capabilities }],
  };
  const calls: string[] = [];
  const reads: ReadApi = {
    list: async <R extends ExternalResource>(type: ResourceType<R>, query: ListQuery) => {
      calls.push(`list ${type.name}`);
      const all = (data[type.name] ?? []).map((one) => type.schema.parse(one));
      const { scope, filter = {} } = query;
      const group = scope && groupOfScope(scope);
      const resources = all.filter(
        (one) =>
          (group === undefined || type.uids.isBelow(one.uid, group)) &&
          Object.values(filter).every((uid) => JSON.stringify(one).includes(uid)),
      );
      return { resources, totalCount: resources.length };
    },
    get: async (type, uid) => {
      calls.push(`get ${type.name}`);
      const found = (data[type.name] ?? []).find((one) => "uid" in one && one.uid === uid);
      if (found !== undefined) return type.schema.parse(found);
      const error = { code: "NOT_FOUND", message: "", reason: "", domain: "" } as const;
      throw new PlatformFailure("get", {
        kind: "rejected",
        error: { ...error, fieldViolations: [], preconditionViolations: [] },
      });
    },
  };
  const guarded = new Proxy(reads, {
    get: (target, name) => {
      if (name !== "list" && name !== "get") throw new Error(`the plan called ${String(name)}`);
      return target[name];
    },
  });
  const { signal } = new AbortController();
  const proven = new ProvenReads({ reads: guarded, caller: { identity: me }, collections, roots: [], signal });
  return { calls, proven, overlay: new OverlayPlatform({ reads: proven, collections, now: () => 0 }) };
}

const below = (group: string) => ({ scope: { descendantsOf: group } });
const uids = async (overlay: OverlayPlatform, type: ResourceType, group: string) =>
  (await overlay.list(type, below(group))).resources.map(({ uid }) => uid);

describe("what was written is in memory only", () => {
  it("shows what is created, under placeholders, and what is changed", async () => {
    const { overlay } = platform();
    const pay = await overlay.create(groups, shop, { name: "pay" });
    expect(pay.uid).toBe(`${shop}/ffffffff00000001`);
    await overlay.update(groups, pay.uid, { description: "Money" }, ["description"]);
    expect(await overlay.get(groups, pay.uid)).toMatchObject({ name: "pay", description: "Money" });
    expect(await uids(overlay, groups, root)).toEqual([shop, pay.uid]);
    expect(overlay.takeWrites().map((write) => [write.do, write.uid])).toEqual([
      ["create", pay.uid],
      ["update", pay.uid],
    ]);
    expect(overlay.takeWrites()).toEqual([]);
  });

  it("replaces the method by which an identity is assumed", async () => {
    const { overlay } = platform();
    const claimMatch = { issuer: "https://ci.example.com", subject: "ci" };
    const { uid } = await overlay.create(identities, shop, { name: "robot", claimMatch });
    const staticKeys = { issuer: "https://ci.example.com", subject: "ci", issuerKeys: "{}", audiences: [] };
    await overlay.update(identities, uid, { staticKeys }, ["staticKeys"]);
    expect(await overlay.get(identities, uid)).toEqual({ uid, name: "robot", description: "", staticKeys });
  });

  it("deletes the grants of an identity with it, and a group only once it is empty", async () => {
    const { overlay } = platform();
    await expect(overlay.delete(groups, shop)).rejects.toThrow("cannot delete group with child identities");
    await overlay.delete(identities, ci);
    expect(await uids(overlay, roleBindings, shop)).toEqual([]);
    await overlay.delete(groups, shop);
    await expect(overlay.get(groups, shop)).rejects.toThrow("NOT_FOUND");
    await expect(overlay.create(groups, shop, { name: "late" })).rejects.toThrow("NOT_FOUND");
  });

  it.each([
    [
      "an identity provider",
      "identityProviders",
      { name: "sso", oidc: { issuer: "https://a.example", clientId: "a" } },
    ],
    ["an invite", "groupInvites", { ttl: "60s" }],
  ])("deletes a role only once %s does not give it any longer", async (_, collection, fields) => {
    const { overlay } = platform();
    const { uid } = await overlay.create(roles, shop, { name: "lister", capabilities: ["CAP_REPO_LIST"] });
    const body = { ...fields, ...(collection === "groupInvites" ? { roleUid: uid } : { defaultRole: uid }) };
    const user = await overlay.create(typeOf(collection), shop, body);
    await expect(overlay.delete(roles, uid)).rejects.toThrow("cannot delete role that is in use");
    await overlay.delete(typeOf(collection), user.uid);
    await overlay.delete(roles, uid);
  });

  it.each([
    ["roleBindings", { identityUid: ci }, "roleUid"],
    ["groupInvites", { ttl: "60s" }, "roleUid"],
    ["identityProviders", { name: "sso", oidc: { issuer: "https://a.example", clientId: "a" } }, "defaultRole"],
  ])("refuses %s above the group of their role, as the platform does", async (collection, fields, field) => {
    const { overlay } = platform();
    const type = typeOf(collection);
    const pay = await overlay.create(groups, shop, { name: "pay" });
    const { uid } = await overlay.create(roles, pay.uid, { name: "lister", capabilities: ["CAP_REPO_LIST"] });
    await expect(overlay.create(type, shop, { ...fields, [field]: uid })).rejects.toMatchObject({
      problem: { error: { code: "INVALID_ARGUMENT", fieldViolations: [{ field }] } },
    });
    const bound = await overlay.create(type, pay.uid, { ...fields, [field]: uid });
    expect(bound.uid).toContain(pay.uid);
  });

  it("refuses a new role of an identity provider that cannot be bound in its group", async () => {
    const { overlay } = platform();
    const pay = await overlay.create(groups, shop, { name: "pay" });
    const role = await overlay.create(roles, pay.uid, { name: "lister", capabilities: ["CAP_REPO_LIST"] });
    const providers = typeOf("identityProviders");
    const oidc = { issuer: "https://a.example", clientId: "a" };
    const { uid } = await overlay.create(providers, shop, { name: "sso", oidc, defaultRole: viewer });
    await expect(overlay.update(providers, uid, { defaultRole: role.uid }, ["defaultRole"])).rejects.toThrow(
      "a custom role can be bound only in its own group and below it",
    );
    await overlay.update(providers, uid, { defaultRole: viewer }, ["defaultRole"]);
  });

  it("deletes a role and a group whose invites have all expired", async () => {
    const { overlay } = platform();
    const pay = await overlay.create(groups, shop, { name: "pay" });
    const { uid } = await overlay.create(roles, shop, { name: "lister", capabilities: ["CAP_REPO_LIST"] });
    await overlay.create(typeOf("groupInvites"), pay.uid, { roleUid: uid, ttl: "0s" });
    await overlay.delete(roles, uid);
    await overlay.delete(groups, pay.uid);
  });
});

it("reads the same only once, and what a list covers not at all", async () => {
  const { overlay, calls } = platform();
  await overlay.list(identities, below(root));
  const before = calls.length;
  await overlay.list(identities, below(root));
  await overlay.list(identities, { scope: { childrenOf: shop } });
  await overlay.get(identities, ci);
  expect(calls.length).toBe(before);
});

it("refuses to list what the caller may not see as a whole, and says so", async () => {
  const { overlay, proven } = platform(["CAP_IAM_GROUPS_LIST"]);
  await expect(overlay.list(identities, below(shop))).rejects.toThrow("PERMISSION_DENIED");
  await expect(overlay.get(identities, `${shop}/00000000000000ff`)).rejects.toThrow("PERMISSION_DENIED");
  const capability = collections.find(({ name }) => name === identities.name)?.listCapability;
  expect(proven.unproven).toEqual([{ capability, group: shop }]);
  expect(proven.failure).toBeUndefined();
});
