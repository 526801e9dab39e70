import { describe, expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import {
  type GroupFacts,
  type IdentityFacts,
  reasonToSpare,
  reasonToSpareGroup,
  type ResourceFacts,
} from "./sparing.ts";

const group: GroupFacts = {
  tenantAllows: true,
  managed: true,
  synced: true,
  providersKnown: true,
  declaredProvidersPresent: true,
  otherOwnerPresent: false,
};
const identity: IdentityFacts = { credential: false, breakGlass: false, marker: "none", person: false };
const resource: ResourceFacts = {
  kind: "RoleBinding",
  inBounds: true,
  identity,
  bound: false,
  seenIn: 2,
  recentRemovals: 0,
  attempted: false,
};

describe("a group", () => {
  it.each<[string | undefined, Partial<GroupFacts>]>([
    [undefined, {}],
    ["tenantReports", { tenantAllows: false }],
    ["groupNotManaged", { managed: false }],
    ["notSynced", { synced: false }],
    ["providersUnknown", { providersKnown: false }],
    ["providerAbsent", { declaredProvidersPresent: false }],
    ["otherOwnerPresent", { otherOwnerPresent: true }],
  ])("is spared because of %s", (reason, facts) => {
    expect(reasonToSpareGroup({ ...group, ...facts })).toBe(reason);
  });
});

describe("a resource", () => {
  it.each<[string | undefined, Partial<ResourceFacts>]>([
    [undefined, {}],
    [undefined, { kind: "Identity" }],
    [undefined, { identity: { ...identity, marker: "ours" } }],
    [undefined, { recentRemovals: 2 }],
    ["onlyReported", { kind: "Group" }],
    ["onlyReported", { kind: "a kind that this policy does not know" }],
    ["outOfBounds", { inBounds: false }],
    ["identityUnknown", { identity: null }],
    ["credential", { identity: { ...identity, credential: true } }],
    ["breakGlass", { identity: { ...identity, breakGlass: true } }],
    ["otherOwner", { identity: { ...identity, marker: "foreign" } }],
    ["orphan", { identity: { ...identity, marker: "orphan" } }],
    ["person", { identity: { ...identity, person: true } }],
    ["bound", { kind: "Identity", bound: true }],
    ["cameBack", { recentRemovals: 3 }],
    ["attempted", { attempted: true }],
    ["seenOnce", { seenIn: 1 }],
  ])("is spared because of %s", (reason, facts) => {
    expect(reasonToSpare({ ...resource, ...facts })).toBe(reason);
  });

  it.each(kinds)("of the kind $name is removed only if it is a grant or an identity", ({ name }) => {
    const isRemovable = ["RoleBinding", "Identity"].includes(name);
    expect(reasonToSpare({ ...resource, kind: name })).toBe(isRemovable ? undefined : "onlyReported");
  });
});
