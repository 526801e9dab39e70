import { describe, expect, it } from "vitest";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import type { ExistingTree } from "./existing-tree.ts";
import { importFiles } from "./import-files.ts";
import type { ImportOptions } from "./import-options.ts";
import type { ImportedTree } from "./imported-tree.ts";
import {
  binding,
  ci,
  claimMatch,
  custom,
  exceptionsOf,
  group,
  identity,
  imported,
  objectsOf,
  own,
  root,
  shop,
  specOf,
  team,
} from "./imported.testing.ts";

it("refers to objects by name, and to the resources that exist by uid", () => {
  const tree = imported({});
  const [top, below, who, grant] = objectsOf(tree);
  expect(tree.exceptions).toEqual([]);
  expect(top?.spec).toEqual({ uid: team, policy: { management: "Observe" } });
  expect(below?.spec).toEqual({ parentRef: { name: top?.metadata.name }, uid: shop, name: "shop" });
  expect(who?.spec).toEqual({ groupRef: { name: below?.metadata.name }, uid: ci, name: "ci", claimMatch });
  expect(grant?.spec).toEqual({
    groupRef: { name: below?.metadata.name },
    identityRef: { name: who?.metadata.name },
    roleRef: { name: "viewer" },
  });
});

it("changes no name when something is added", () => {
  const names = (tree: ImportedTree) => objectsOf(tree).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const sibling = { ...group, uid: `${team}/0000000000000001` };
  const more = imported({
    groups: [group, sibling],
    identities: [{ ...identity, uid: `${sibling.uid}/0000000000000002` }, identity],
  });
  expect(names(more)).toEqual(expect.arrayContaining(names(imported({}))));
  expect(new Set(names(more)).size).toBe(names(more).length);
});

it("recognizes what its own objects manage, and the description without the marker", () => {
  const name = objectsOf(imported({}))[1]?.metadata.name ?? "";
  const marker = markerOf(own, objectHash("Group", "team", name));
  const tree = imported({ groups: [{ ...group, description: withMarker("sells", marker, true) }] });
  expect(specOf(tree, "Group")).toMatchObject({ description: "sells" });
  expect(tree.exceptions).toEqual([]);
});

it.each([
  { claimMatch },
  { staticKeys: { issuer: "https://keys.example", subject: "x", issuerKeys: '{"keys":[]}', audiences: ["a"] } },
  { awsIdentity: { awsAccount: "012345678901", arn: "arn:aws:iam::012345678901:role/a", userIdPattern: "A.*" } },
])("declares who may assume an identity: %j", (method) => {
  const tree = imported({ identities: [{ ...identity, claimMatch: undefined, ...method }] });
  expect(specOf(tree, "Identity")).toMatchObject(method);
});

it("leaves out what another object of this owner declares, and refers to it by uid", () => {
  const marker = markerOf(own, objectHash("Group", "team", "by-hand"));
  const tree = imported({ groups: [{ ...group, description: withMarker("", marker) }] });
  expect(specOf(tree, "Identity")).toMatchObject({ groupUid: shop });
  expect(exceptionsOf(tree)).toEqual([
    "group left out: it carries the marker of another object of this owner, which declares it already",
  ]);
});

describe("a Tenant", () => {
  const tenantOf = (tree: Partial<ExistingTree>, options: Partial<ImportOptions> = {}) =>
    imported(tree, options).tenant.spec;

  it("permits what exists, and no more", () => {
    expect(tenantOf({})).toEqual({
      namespaces: ["team"],
      groups: [team],
      roles: ["viewer"],
      identityTypes: ["ClaimMatch"],
      claimIssuers: [{ issuer: "https://ci.example", subjects: ["repo:acme/shop"] }],
      kinds: ["Group", "Identity", "RoleBinding"],
      adopt: ["Group", "Identity"],
    });
    expect(tenantOf({ groups: [], identities: [], roleBindings: [] }, { adopt: false })).toEqual({
      namespaces: ["team"],
      groups: [team],
      // If absent, two of them are permitted.
      identityTypes: [],
      kinds: ["Group"],
    });
  });

  it("permits no type of identities if what exists is only observed without one", () => {
    const { claimMatch: _, ...unknown } = identity;
    const spec = tenantOf({ identities: [unknown] });
    expect(spec).toMatchObject({ identityTypes: [], kinds: ["Group", "Identity", "RoleBinding"] });
  });

  it("has the class of the operator that is to serve it", () => {
    expect(tenantOf({}, { operatorClass: "blue" })).toMatchObject({ class: "blue" });
  });

  it("lists roles of groups by their uids", () => {
    const tree = { roleBindings: [{ ...binding, role: custom }] };
    expect(tenantOf(tree)["roles"]).toEqual([custom.uid]);
    expect(specOf(imported(tree), "RoleBinding")).toMatchObject({ roleUid: custom.uid });
  });

  it("does not permit a role that only an operator, an identity for emergencies or another owner has", () => {
    const role = { uid: "d".repeat(40), name: "owner" };
    for (const [description, breakGlass] of [
      [withRecordedOwner("", "prod"), []],
      ["", [ci]],
      [withMarker("", markerOf(ownerHash("elsewhere"), "0".repeat(16))), []],
    ] as const) {
      const tree = imported(
        { identities: [{ ...identity, description }], roleBindings: [{ ...binding, role }] },
        { breakGlass },
      );
      expect(tree.tenant.spec["roles"]).toBeUndefined();
      expect(specOf(tree, "Identity")).toMatchObject({ policy: { management: "Observe" } });
      expect(tree.exceptions.map(({ outcome }) => outcome)).toEqual(["observed", "left out"]);
    }
  });

  it.each([
    [
      { issuer: "https://gitlab.com", subjectPattern: "project_path:acme/.*" },
      { subjectPrefixes: ["project_path:acme/"] },
    ],
    [
      { issuer: "https://ci.example", subject: "system:serviceaccount:apps:ci" },
      { subjects: ["system:serviceaccount:apps:ci"] },
    ],
    [{ issuerPattern: "https://.*", subject: "x" }, { subjects: ["x"] }],
    [{ issuer: "https://gitlab.com", subject: "project_path:acme/a" }, { subjects: ["project_path:acme/a"] }],
    [{ issuer: "https://ci.example", subjectPattern: ".*" }, {}],
  ])("permits %j with %j", (claims, limits) => {
    const tenant = tenantOf({ identities: [{ ...identity, claimMatch: claims }] });
    const { subject: _subject, subjectPattern: _pattern, ...issuer } = claims as Readonly<Record<string, string>>;
    expect(tenant["claimIssuers"]).toEqual([{ ...issuer, ...limits }]);
  });

  it("permits subjects and patterns of an issuer with one entry", () => {
    const issuer = "https://gitlab.com";
    const claims = [{ subject: "a" }, { subjectPattern: "b/.*" }, { subject: "c" }];
    const identities = claims.map((one) => ({ ...identity, claimMatch: { issuer, ...one } }));
    expect(tenantOf({ identities })["claimIssuers"]).toEqual([
      { issuer, subjects: ["a", "c"], subjectPrefixes: ["b/"] },
    ]);
  });

  it("permits the exact subjects of an issuer, and what does not fit is listed", () => {
    const ids = Array.from({ length: 63 + 65 }, (_, index) => index.toString(16).padStart(16, "0"));
    const identities = ids.map((id, index) => ({
      ...identity,
      uid: `${shop}/${id}`,
      claimMatch: { issuer: index < 63 ? `https://a-${id}.example` : "https://gitlab.com", subject: `acme/${id}:` },
    }));
    const stranger = { ...identity, claimMatch: { issuer: "https://gitlab.com", subjectPattern: ".*" } };
    const tree = imported({ identities: [...identities, stranger], roleBindings: [] });
    const issuers = tree.tenant.spec["claimIssuers"] as readonly { readonly subjects?: readonly string[] }[];
    expect(issuers.map(({ subjects }) => subjects?.length)).toEqual([...ids.slice(0, 63).map(() => 1), 64]);
    const permitted = new Set(issuers.flatMap(({ subjects = [] }) => subjects));
    const declared = objectsOf(tree).flatMap(({ spec }) => (spec["claimMatch"] as typeof claimMatch | undefined) ?? []);
    expect(declared.filter(({ subject }) => !permitted.has(subject))).toEqual([]);
    expect(declared).toHaveLength(63 + 64);
    expect(exceptionsOf(tree)).toHaveLength(2);
  });

  it("does not permit a pattern that any stranger could match: the identity is observed without it", () => {
    const claims = { issuer: "https://gitlab.com", subjectPattern: ".*" };
    const tree = imported({ identities: [{ ...identity, claimMatch: claims }] });
    expect(tree.tenant.spec["claimIssuers"]).toBeUndefined();
    expect(specOf(tree, "Identity")).not.toHaveProperty("claimMatch");
    expect(exceptionsOf(tree).join()).toContain("identity observed: spec.claimMatch.subjectPattern: ");
  });

  it("permits a pattern whose beginning is not certain with all subjects of the issuer, unless that is public", () => {
    const withPattern = (issuer: string) =>
      imported({ identities: [{ ...identity, claimMatch: { issuer, subjectPattern: "repo:acme/\\Qa.b\\E?" } }] });
    const declared = withPattern("https://ci.example");
    expect(declared.tenant.spec["claimIssuers"]).toEqual([{ issuer: "https://ci.example" }]);
    expect(specOf(declared, "Identity")).toHaveProperty("claimMatch");
    expect(importFiles(declared).get("tenant.yaml")).toContain(
      "it contains \\Q...\\E quoting at character 11. Write the text",
    );
    const observed = withPattern("https://gitlab.com");
    expect(observed.tenant.spec["claimIssuers"]).toBeUndefined();
    expect(specOf(observed, "Identity")).not.toHaveProperty("claimMatch");
    expect(exceptionsOf(observed).join()).toContain(
      "No prefix allows this pattern, because it contains \\Q...\\E quoting at character 11. Write the text",
    );
  });

  it("has room for 256 roles and 64 issuers; what needs others is listed", () => {
    const many = Array.from({ length: 300 }, (_, index) => index.toString(16).padStart(16, "0"));
    const tree = imported({
      identities: many.map((id) => ({
        ...identity,
        uid: `${shop}/${id}`,
        claimMatch: { issuer: `https://${id}.example`, subject: "x" },
      })),
      roleBindings: many.map((id) => ({
        uid: `${shop}/f${id.slice(1)}`,
        identity: { uid: `${shop}/${id}`, name: "ci" },
        role: { uid: `${root}/${id}`, name: "custom" },
      })),
    });
    expect(tree.tenant.spec["roles"]).toHaveLength(256);
    expect(tree.tenant.spec["claimIssuers"]).toHaveLength(64);
    const outcomes = tree.exceptions.map(({ noun, outcome }) => `${noun} ${outcome}`);
    expect(outcomes.filter((one) => one === "role binding left out")).toHaveLength(44);
    expect(outcomes.filter((one) => one === "identity observed")).toHaveLength(236);
  });
});

it("declares one of several equal role bindings", () => {
  const tree = imported({ roleBindings: [binding, { ...binding, uid: `${shop}/00000000000000e2` }] });
  expect(objectsOf(tree).filter(({ kind }) => kind === "RoleBinding")).toHaveLength(1);
  expect(exceptionsOf(tree)).toEqual([
    `role binding left out: it grants the same as ${binding.uid}, and one object stands for both`,
  ]);
});

it("does not adopt an identity that holds a role outside of the group", () => {
  const tree = imported({ roleBindingsElsewhere: [{ ...binding, uid: `${root}/00000000000000f1` }] });
  expect(specOf(tree, "Identity")).toMatchObject({ policy: { management: "Observe" } });
  expect(exceptionsOf(tree)).toEqual([
    `identity observed: it holds the role viewer in ${root}, which the Tenant may not bind`,
  ]);
});

it("lists resources of other types", () => {
  const { exceptions } = imported({
    others: [{ kind: "GroupInvite", noun: "invite", uid: `${shop}/00000000000000f1`, reason: "no kind declares it" }],
  });
  expect(exceptions).toEqual([
    {
      noun: "invite",
      uid: `${shop}/00000000000000f1`,
      outcome: "left out",
      reason: "no kind declares it",
    },
  ]);
});
