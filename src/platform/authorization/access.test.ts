import { describe, expect, it } from "vitest";
import { Code } from "../errors/api-error.ts";
import { Access } from "./access.ts";
import { builtinRoles } from "./builtin-roles.ts";
import { allCapabilities, Capability, capabilityNamed, dottedNameOf } from "./capability.ts";
import { downscope, outermost } from "./grant.ts";

const root = "a".repeat(40);
const team = `${root}/0000000000000001`;
const member = `${team}/0000000000000001`;
const sibling = `${root}/0000000000000002`;
const { CAP_IAM_GROUPS_LIST: list, CAP_IAM_GROUPS_CREATE: create } = Capability;
const access = new Access([
  { group: team, capabilities: new Set([list]) },
  { group: member, capabilities: new Set([create]) },
]);

describe("Access", () => {
  it("applies a grant in its group and in every group below it", () => {
    expect(access.can(list, team)).toBe(true);
    expect(access.can(list, member)).toBe(true);
    expect(access.can(list, root)).toBe(false);
    expect(access.can(list, sibling)).toBe(false);
    expect(access.can(create, team)).toBe(false);
  });

  it("asks the grants of the groups above a uid, however many others there are", () => {
    let asked = 0;
    class Counting extends Set<Capability> {
      override has(capability: Capability): boolean {
        asked += 1;
        return super.has(capability);
      }
    }
    const many = Array.from({ length: 1_000 }, (_, n) => ({
      group: `${root}/${n.toString(16).padStart(16, "0")}`,
      capabilities: new Counting([list]),
    }));
    const busy = new Access(many);
    for (const { group } of many) expect(busy.missing([list, create], `${group}/0000000000000001`)).toBe(create);
    expect(asked).toBe(2_000);
    expect([busy.sees(member), busy.sees(root)]).toEqual([true, false]);
  });

  it.each([3, 30])("joins the grants of one group, %i of them", (number) => {
    const grants = Array.from({ length: number }, (_, n) => ({
      group: team,
      capabilities: new Set([n % 2 === 0 ? list : create]),
    }));
    const both = new Access(grants);
    expect([both.missing([list, create], member), both.can(create, root)]).toEqual([undefined, false]);
  });

  it.each([3, 30])("sees nothing where a grant has no capability, with %i grants", (number) => {
    const empty = new Access(
      Array.from({ length: number }, () => ({ group: team, capabilities: new Set<Capability>() })),
    );
    expect(empty.sees(member)).toBe(false);
  });

  it("throws 7 for a uid that the caller can see and 5 for one that it cannot", () => {
    expect(() => access.require(create, team, "group")).toThrowError(
      expect.objectContaining({ code: Code.permissionDenied }),
    );
    expect(() => access.require(list, root, "group")).toThrowError(expect.objectContaining({ code: Code.notFound }));
    expect(() => access.require(list, member, "group")).not.toThrow();
  });

  it("returns the outermost uids where a capability is held", () => {
    expect(access.coverage(list)).toEqual([team]);
    expect(access.coverage(Capability.CAP_REPO_LIST)).toEqual([]);
    expect(new Access("everything").coverage(list)).toBe("everywhere");
    expect(outermost([member, sibling, team, team])).toEqual([team, sibling]);
  });
});

describe("downscope", () => {
  const grants = [{ group: team, capabilities: new Set([list, create]) }];
  it.each([
    [
      "to an ancestor: unchanged",
      { groups: [root], capabilities: undefined },
      [{ group: team, capabilities: new Set([list, create]) }],
    ],
    [
      "to a descendant: only there",
      { groups: [member], capabilities: undefined },
      [{ group: member, capabilities: new Set([list, create]) }],
    ],
    ["to a sibling group: nothing", { groups: [sibling], capabilities: undefined }, []],
    [
      "to capabilities: the intersection",
      { groups: undefined, capabilities: new Set([list, Capability.CAP_REPO_LIST]) },
      [{ group: team, capabilities: new Set([list]) }],
    ],
    [
      "to groups within each other: only the outermost",
      { groups: [member, team, team], capabilities: undefined },
      [{ group: team, capabilities: new Set([list, create]) }],
    ],
  ])("%s", (_, downscoping, expected) => expect(downscope(grants, downscoping)).toEqual(expected));

  it("adds what is granted above a group to what is granted in it", () => {
    const both = [
      { group: team, capabilities: new Set([list]) },
      { group: member, capabilities: new Set([create]) },
    ];
    const downscoped = new Access(downscope(both, { groups: [member], capabilities: undefined }));
    expect(downscoped.missing([list, create], member)).toBeUndefined();
    expect(downscoped.sees(team)).toBe(false);
  });

  it("takes no more memory than the grants and the scopes together", () => {
    const capabilities = new Set([list]);
    const uid = (number: number) => `${root}/${String(number).padStart(16, "0")}`;
    const many = Array.from({ length: 2_000 }, (_, n) => ({ group: n % 2 === 0 ? root : uid(n), capabilities }));
    expect(downscope(many, { groups: Array(480).fill(team), capabilities: undefined }).length).toBeLessThan(2_064);
    const scopes = Array.from({ length: 64 }, (_, n) => uid(n));
    const downscoped = downscope(many, { groups: scopes, capabilities: new Set([list, create]) });
    expect(downscoped.length).toBeLessThan(2_064);
    expect(new Set(downscoped.map((grant) => grant.capabilities)).size).toBeLessThanOrEqual(65);
  });
});

describe("capabilities and built-in roles", () => {
  it("have the dotted names of the contract", () => {
    // Those of the family, and audit.list.
    expect(allCapabilities).toHaveLength(36 + 1);
    expect(dottedNameOf(Capability.CAP_IAM_ROLE_BINDINGS_CREATE)).toBe("role_bindings.create");
    expect(dottedNameOf(Capability.CAP_IAM_IDENTITY_PROVIDERS_LIST)).toBe("identity_providers.list");
    expect(dottedNameOf(Capability.CAP_ADVISORIES_LIST)).toBe("advisories.list");
    expect(capabilityNamed("tag.delete")).toBe(Capability.CAP_TAG_DELETE);
    expect(capabilityNamed("groups.fly")).toBeUndefined();
  });

  it("have the capabilities of the contract's table", () => {
    const sizes = Object.fromEntries(builtinRoles.map(({ name, capabilities }) => [name, capabilities.size]));
    expect(sizes).toEqual({
      viewer: 10,
      editor: 13,
      owner: 37,
      limited_owner: 12,
      "registry.pull": 3,
      "registry.push": 9,
    });
    expect(builtinRoles.every(({ uid }) => /^[0-9a-f]{40}$/.test(uid))).toBe(true);
  });
});
