import { describe, expect, it } from "vitest";
import { builtinRoles } from "#src/platform/authorization/builtin-roles.ts";
import { allCapabilities, Capability } from "#src/platform/authorization/capability.ts";
import { collections } from "#src/platform/collections/collections.ts";
import { accessModel } from "./access-model.ts";
import type { KnownBinding, KnownRole } from "./access-state.ts";
import { accessState, root, segment, shop, web } from "./access-state.testing.ts";
import { type RecordedChange, recordedWrites, usesOf } from "./recorded-writes.ts";
import { type EarlierGrants, notingGrants } from "./earlier-grants.ts";
import { unchangedRoles, unusedAccess } from "./unused-writes.ts";
import { usedWrites } from "./used-writes.ts";

const repo = `${web}/${segment("3")}`;
const ci = `${shop}/${segment("c")}`;

const names = new Map<Capability, string>(Object.entries(Capability).map(([name, capability]) => [capability, name]));
const nameOf = (capability: Capability) => names.get(capability) ?? "";

const builtIn: readonly KnownRole[] = builtinRoles.map(({ capabilities, name, uid }) => ({
  uid,
  name,
  capabilities: new Set([...capabilities].map(nameOf)),
}));
const custom = (...capabilities: readonly string[]): KnownRole => ({
  uid: `${root}/${segment("d")}`,
  name: "custom",
  capabilities: new Set(capabilities),
  updateTime: "2025-12-01T00:00:00Z",
});
const roleNamed = (name: string) => builtIn.find((role) => role.name === name) as KnownRole;
const change = (action: string, resourceType: string, resource: string, changes = {}): RecordedChange => ({
  action,
  resourceType,
  resource,
  changes,
});

describe("what a recorded change needed", () => {
  const needed = (recorded: RecordedChange) => {
    const use = usesOf(recorded, new Map(builtIn.map((role) => [role.uid, role])));
    return use === undefined ? undefined : [use.at, ...use.capabilities];
  };

  it("is known for every capability of the platform that is not a read", () => {
    const writes = allCapabilities.map(nameOf).filter((name) => !name.endsWith("_LIST"));
    expect([...recordedWrites].toSorted()).toEqual(writes.toSorted());
    const types = collections.map(({ description }) => description.type).filter((type) => type !== "advisory");
    for (const type of types) expect(needed(change("update", type, repo)), type).toBeDefined();
  });

  it.each([
    ["a group needs it in its parent", change("create", "group", web), [shop, "CAP_IAM_GROUPS_CREATE"]],
    ["another change of a group, on it", change("delete", "group", web), [web, "CAP_IAM_GROUPS_DELETE"]],
    ["a repo", change("create", "repo", repo), [repo, "CAP_REPO_CREATE"]],
    ["the end of tokens", change("revokeTokens", "identity", ci), [ci, "CAP_IAM_IDENTITY_UPDATE"]],
    ["a root group needs nothing", change("create", "group", root), undefined],
    ["a login needs nothing", change("login", "identity", ci), undefined],
    [
      "a new role needs what it has",
      change("create", "role", repo, { capabilities: { new: ["CAP_REPO_LIST", "CAP_TAG_DELETE"] } }),
      [repo, "CAP_IAM_ROLES_CREATE", "CAP_TAG_DELETE"],
    ],
  ])("%s", (_, recorded, expected) => expect(needed(recorded)).toEqual(expected));

  it("includes all of a role that is granted, and everything if the record does not say which", () => {
    const editor = roleNamed("editor");
    const granted = needed(change("create", "role binding", repo, { roleUid: { new: editor.uid } }));
    expect(granted).toEqual([repo, "CAP_IAM_ROLE_BINDINGS_CREATE", ...editor.capabilities]);
    expect(needed(change("create", "identity provider", repo, { defaultRole: { new: editor.uid } }))).toEqual([
      repo,
      "CAP_IAM_IDENTITY_PROVIDERS_CREATE",
      "CAP_IAM_ROLE_BINDINGS_CREATE",
      ...editor.capabilities,
    ]);
    for (const recorded of [
      change("create", "role binding", repo, { roleUid: { new: "f".repeat(40) } }),
      change("update", "group invite", repo, { email: { new: "a@example.com" } }),
    ])
      expect(new Set(needed(recorded)?.slice(1))).toEqual(recordedWrites);
    expect(needed(change("delete", "role binding", repo))).toEqual([repo, "CAP_IAM_ROLE_BINDINGS_DELETE"]);
  });
});

interface AskOptions {
  readonly canRead?: (group: string) => boolean;
  readonly others?: readonly KnownBinding[];
}

describe("unused writes", () => {
  const since = Date.parse("2026-01-01T00:00:00Z");
  const bind = (group: string, role: KnownRole, createTime: string | undefined = "2025-12-01T00:00:00Z") => ({
    uid: `${group}/${segment("e")}`,
    ...(createTime === undefined ? {} : { createTime }),
    identity: { uid: ci, name: "ci" },
    role: { uid: role.uid, name: role.name },
  });
  const ask = async (
    binding: KnownBinding,
    roles: readonly KnownRole[],
    changes: readonly RecordedChange[] = [],
    { canRead = () => true, others = [] }: AskOptions = {},
  ) => {
    const bindings = [binding, ...others];
    const model = accessModel(accessState({ roles, bindings }));
    const grants = new Map<string, EarlierGrants>();
    const unchanged = unchangedRoles(model, since);
    const authored = changes.map((one) => ({ ...one, actor: { name: ci } }));
    const used = await usedWrites(model, unchanged, notingGrants(authored, grants));
    return unusedAccess(model, { bindings: [binding], roles: unchanged, used, grants, since, canReadRecords: canRead });
  };
  const proposal = async (role: KnownRole, ...changes: readonly RecordedChange[]) => {
    const [found] = (await ask(bind(shop, role), [...builtIn, role], changes)).bindings;
    return found === undefined ? "all used" : [found.smaller?.role.name, found.smaller?.lostReads, found.isNeedless];
  };

  it.each([
    ["an editor without a write", roleNamed("editor"), [], ["viewer", [], false]],
    [
      "a pusher that changes repos alone",
      roleNamed("registry.push"),
      [change("update", "repo", repo)],
      [undefined, undefined, false],
    ],
    [
      "an owner that changes repos: only an owner reads the audit log",
      roleNamed("owner"),
      [change("delete", "repo", repo)],
      ["editor", ["CAP_AUDIT_LIST"], false],
    ],
    ["a role with writes alone", custom("CAP_REPO_CREATE"), [], [undefined, undefined, true]],
    [
      "a role of which every built-in one would have more",
      custom("CAP_REPO_CREATE", "CAP_TAG_LIST"),
      [],
      [undefined, undefined, false],
    ],
    [
      "a role that has more capabilities than registry.pull, but not all of its",
      custom("CAP_REPO_CREATE", "CAP_REPO_DELETE", "CAP_REPO_UPDATE", "CAP_TAG_LIST"),
      [],
      [undefined, undefined, false],
    ],
    [
      "a role with a capability that nobody knows",
      custom("CAP_REPO_CREATE", "70000"),
      [],
      [undefined, undefined, false],
    ],
    ["all that can be used", custom("CAP_REPO_CREATE"), [change("create", "repo", repo)], "all used"],
  ])("propose a role that keeps every read and every used write: %s", (_, role, changes, expected) =>
    expect(proposal(role, ...changes)).resolves.toEqual(expected),
  );

  it("are never reads", async () => {
    const { bindings } = await ask(bind(shop, roleNamed("owner")), builtIn);
    expect(bindings[0]?.unused.filter((capability) => capability.endsWith("_LIST"))).toEqual([]);
    expect((await ask(bind(shop, roleNamed("viewer")), builtIn)).bindings).toEqual([]);
  });

  it("are used where the binding permitted the change, and nowhere else", async () => {
    const unusedIn = async (group: string, recorded: RecordedChange, role = "editor") =>
      (await ask(bind(group, roleNamed(role)), builtIn, [recorded])).bindings[0]?.unused;
    const created = change("create", "repo", repo);
    expect(await unusedIn(shop, created)).not.toContain("CAP_REPO_CREATE");
    expect(await unusedIn(web, created)).not.toContain("CAP_REPO_CREATE");
    expect(await unusedIn(`${shop}/${segment("9")}`, created)).toContain("CAP_REPO_CREATE");
    const owner = (group: string) => unusedIn(group, change("create", "group", web), "owner");
    expect(await owner(shop)).not.toContain("CAP_IAM_GROUPS_CREATE");
    expect(await owner(web)).toContain("CAP_IAM_GROUPS_CREATE");
  });

  it.each(["claimMatch.subject", "staticKeys.issuerKeys", "awsIdentity.awsUserIdPattern", "staticKeys"])(
    "are all used by a change of how an identity is assumed, whatever binding gave them: %s",
    async (field) => {
      const elsewhere = `${root}/${segment("9")}`;
      const changed = (path: string) =>
        change("update", "identity", `${shop}/${segment("b")}`, { [path]: { new: "a" } });
      const ofEditor = (path: string) => ask(bind(elsewhere, roleNamed("editor")), builtIn, [changed(path)]);
      expect((await ofEditor(field)).bindings).toEqual([]);
      expect((await ofEditor("description")).bindings).toHaveLength(1);
    },
  );

  it("are not reported of what is younger, of unread roles, and where the audit log cannot be read", async () => {
    const editor = roleNamed("editor");
    for (const createTime of ["2026-01-01T00:00:00.001Z", undefined]) {
      const { createTime: _, ...young } = bind(shop, editor);
      const binding = createTime === undefined ? young : { ...young, createTime };
      expect(await ask(binding, builtIn)).toMatchObject({ bindings: [], recent: [binding] });
    }
    expect(await ask(bind(shop, editor), [])).toMatchObject({
      bindings: [],
      unread: [{ what: "role", role: editor.uid }],
    });
    expect(await ask(bind(shop, editor), builtIn, [], { canRead: () => false })).toMatchObject({
      bindings: [],
      unreadRecords: [shop],
    });
  });

  const mallory = `${root}/${segment("9")}/${segment("a")}`;
  const ofMallory = (group: string, role: KnownRole) => ({
    ...bind(group, role),
    uid: `${group}/${segment("8")}`,
    identity: { uid: mallory, name: "mallory" },
  });

  it("are not reported of a role that was changed within the period, or of a role binding that was", async () => {
    const role = { ...custom("CAP_REPO_CREATE"), updateTime: "2026-01-02T00:00:00Z" };
    const binding = bind(shop, role);
    expect(await ask(binding, [...builtIn, role])).toMatchObject({ bindings: [], changed: [binding] });
    const { updateTime: _, ...untimed } = role;
    expect(await ask(binding, [...builtIn, untimed])).toMatchObject({ bindings: [], changed: [binding] });
    const updated = change("update", "role binding", binding.uid, { roleUid: { old: "a".repeat(40), new: role.uid } });
    const steady = custom("CAP_REPO_CREATE");
    expect(await ask(binding, [...builtIn, steady], [updated])).toMatchObject({ bindings: [], changed: [binding] });
  });

  it("are all used by who granted a role that has had other capabilities since", async () => {
    const role = { ...custom("CAP_TAG_CREATE"), updateTime: "2026-01-02T00:00:00Z" };
    const granted = change("create", "role binding", `${shop}/${segment("7")}`, { roleUid: { new: role.uid } });
    expect((await ask(bind(shop, roleNamed("editor")), [...builtIn, role], [granted])).bindings).toEqual([]);
  });

  it("are perhaps used if it cannot be read whether somebody changed who can assume an identity that has them", async () => {
    const [binding, canRead] = [bind(shop, roleNamed("owner")), (group: string) => group !== `${root}/${segment("9")}`];
    const found = async (other: KnownBinding, changes: readonly RecordedChange[] = []) => {
      const others = changes.length === 0 ? [other] : [];
      const { bindings, hiddenRecords } = await ask(binding, builtIn, changes, { canRead, others });
      return [bindings[0]?.perhapsUsed, hiddenRecords];
    };
    const repoWrites = ["CAP_REPO_CREATE", "CAP_REPO_UPDATE", "CAP_REPO_DELETE"];
    const hidden = [`${root}/${segment("9")}`];
    expect(await found(ofMallory(web, roleNamed("editor")))).toEqual([repoWrites, hidden]);
    expect(await found(ofMallory(web, roleNamed("viewer")))).toEqual([[], []]);
    expect(await found(ofMallory(root, roleNamed("editor")))).toEqual([[], []]);
    const { identity, role, uid } = ofMallory(web, roleNamed("editor"));
    const deleted = { identityUid: { old: identity.uid }, roleUid: { old: role.uid } };
    expect(await found(binding, [change("delete", "role binding", uid, deleted)])).toEqual([repoWrites, hidden]);
    const hiding = await ask(binding, builtIn, [], { canRead, others: [ofMallory(web, roleNamed("owner"))] });
    expect(hiding).toMatchObject({ bindings: [], hiddenRecords: hidden });
  });
});
