import { expect, it } from "vitest";
import type { AccessState } from "#src/access/access-state.ts";
import { declarationsOf } from "#src/commands/access/declarations.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { plannedUid } from "#src/plan/planned-uid.ts";
import type { PlatformWrite } from "#src/plan/overlay-platform.ts";
import { accessMarkdown, accessText } from "./format-access.ts";
import { plannedAccess, type PlannedAccessOptions } from "./planned-access.ts";

const root = "a".repeat(40);
const shop = `${root}/${"1".repeat(16)}`;
const ci = { uid: `${shop}/${"c".repeat(16)}`, name: "ci" };
const viewer = { uid: "b".repeat(40), name: "viewer" };
const custom = { uid: `${root}/${"d".repeat(16)}`, name: "custom" };
const binding = (digit: string, role: typeof viewer) => ({
  uid: `${shop}/${digit.repeat(16)}`,
  identity: ci,
  role,
});
const claimMatch = (subject: string) => ({ issuer: "https://ci.example.com", subject });
const state: AccessState = {
  groups: [
    { uid: root, name: "acme" },
    { uid: shop, name: "shop" },
  ],
  identities: [
    {
      ...ci,
      lastSeenTime: "2026-01-01T00:00:00Z",
      assumedBy: {
        method: "claimMatch",
        conditions: Object.entries(claimMatch("repo:acme/old")).map(([name, value]) => ({ name, value })),
      },
    },
  ],
  roles: [{ ...viewer, capabilities: new Set(["CAP_REPO_LIST", "CAP_IAM_GROUPS_LIST"]) }],
  bindings: [],
  loginGrants: [],
  seesEverything: true,
};
const write = (collection: string, before: object | undefined, after: object | undefined): PlatformWrite => ({
  do: before === undefined ? "create" : after === undefined ? "delete" : "update",
  collection,
  uid: ((after ?? before) as ExternalResource).uid,
  before: before as ExternalResource | undefined,
  after: after as ExternalResource | undefined,
  fields: [],
});
const object = {
  apiVersion: "iam.muster.dev/v1beta1",
  kind: "RoleBinding",
  metadata: { namespace: "shop", name: "ci-views" },
  status: { uid: binding("e", viewer).uid },
};
const declarations = declarationsOf([object], { isWholeCluster: true, kinds });
const planned = (
  writes: readonly PlatformWrite[],
  changes: Partial<AccessState> = {},
  unproven: PlannedAccessOptions["unproven"] = [],
) => plannedAccess({ ...state, ...changes }, { writes, unproven, declarations, now: 0 });
const changedClaims = write(
  "identities",
  { ...ci, claimMatch: claimMatch("repo:acme/old") },
  { ...ci, claimMatch: claimMatch("repo:acme/shop") },
);

it("says who gains what, where, through which object, and who can assume the identity", () => {
  const access = planned([write("roleBindings", undefined, binding("e", viewer)), changedClaims]);
  expect(access.complete).toBe(true);
  expect(accessText(access)).toMatchInlineSnapshot(`
    "Access: 1 identity gains capabilities, 1 identity can be assumed by others.

    + acme/shop/ci gains capabilities in acme/shop and below
          groups.list, repo.list
        through viewer (shop/ci-views)
        assumed by: issuer https://ci.example.com, subject repo:acme/shop

    * acme/shop/ci can be assumed by others
        before: issuer https://ci.example.com, subject repo:acme/old
        after:  issuer https://ci.example.com, subject repo:acme/shop
        whoever can assume it now has viewer in acme/shop and below
    "
  `);
  expect(accessMarkdown(access)).toMatchInlineSnapshot(`
    "**Access: 1 identity gains capabilities, 1 identity can be assumed by others.**

    | Access | Identity | Capabilities | In | Through | Assumed by |
    | --- | --- | --- | --- | --- | --- |
    | gains | acme/shop/ci | groups.list, repo.list | acme/shop and below | viewer (shop/ci-views) | issuer https\\://ci.example.com, subject repo:acme/shop |

    | Assumed by others | Before | After | What it may do |
    | --- | --- | --- | --- |
    | acme/shop/ci | issuer https\\://ci.example.com, subject repo:acme/old | issuer https\\://ci.example.com, subject repo:acme/shop | whoever can assume it now has viewer in acme/shop and below |
    "
  `);
  // What a write does not know of the resource stays.
  expect(access.changes[0]?.identity.lastSeenTime).toBe("2026-01-01T00:00:00Z");
});

it("numbers what is new and called like something that exists", () => {
  const [first, second] = [plannedUid(shop, 1), plannedUid(root, 2)];
  const twin = { ...ci, uid: first, claimMatch: claimMatch("repo:acme/twin") };
  const role = { uid: second, name: "viewer", capabilities: ["CAP_REPO_CREATE"] };
  const access = planned([
    write("identities", undefined, twin),
    write("roles", undefined, role),
    write("roleBindings", undefined, { ...binding("e", role), identity: { uid: first, name: "ci" } }),
  ]);
  expect(accessText(access)).toContain("+ acme/shop/ci (new 1) gains capabilities in acme/shop and below\n");
  expect(accessText(access)).toContain("through viewer (new 2) (shop/ci-views)\n");
});

it("says what is unknown, and never that nothing changes then", () => {
  const kept = binding("f", custom);
  const bindings = [binding("e", viewer), kept];
  const access = planned([write("roleBindings", bindings[0], undefined), changedClaims], {
    bindings,
    seesEverything: false,
  });
  expect(access.complete).toBe(false);
  expect(accessText(access)).toMatchInlineSnapshot(`
    "Access: 1 identity loses capabilities, 1 identity can be assumed by others, as far as you can see.

    ? acme/shop/ci may lose capabilities in acme/shop and below
          groups.list, repo.list
        through viewer (shop/ci-views)
        assumed by: issuer https://ci.example.com, subject repo:acme/old

    * acme/shop/ci can be assumed by others
        before: issuer https://ci.example.com, subject repo:acme/old
        after:  issuer https://ci.example.com, subject repo:acme/shop
        whoever can assume it now has custom in acme/shop and below

    ? Unknown: the role bindings of acme (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) cannot be read: you need role_bindings.list there.

    ? Unknown: the capabilities of the role custom cannot be read: you need roles.list in acme (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa).

    ? Unknown: identities that are deleted, or that others can assume, may have role bindings in other groups than acme/shop and those below: you need role_bindings.list there.
    "
  `);
  const others = planned([write("accountAssociations", undefined, { uid: shop })]);
  expect(accessText(others)).toMatchInlineSnapshot(`
    "Access: what changes is unknown.

    ? Unknown: accountAssociations change: what follows from that is not part of this comparison.
    "
  `);
  const accounts = { uid: shop, amazon: { account: "123456789012" } };
  const adopted = write(
    "accountAssociations",
    { ...accounts, description: "" },
    { ...accounts, description: "[muster:x]" },
  );
  expect(planned([{ ...adopted, fields: ["description"] }])).toMatchObject({ complete: true, unknown: [] });
  expect(planned([{ ...adopted, fields: ["description", "amazon"] }]).complete).toBe(false);
  const gone = planned([write("identities", { uid: `${shop}/${"3".repeat(16)}`, name: "gone" }, undefined)]);
  expect(gone.unknown).toMatchObject([{ what: "notListed" }]);
});

it("says which role people get who log in, and no longer get", () => {
  const uid = `${shop}/${"2".repeat(16)}`;
  const oidc = { issuer: "https://people.example.com", clientId: "muster" };
  const provider = { uid, name: "people", defaultRole: viewer.uid, oidc };
  const opened = planned([write("identityProviders", undefined, provider)]);
  expect(opened.complete).toBe(true);
  expect(accessText(opened)).toMatchInlineSnapshot(`
    "Access: people who log in get other roles.

    + anybody who logs in through the identity provider people (issuer https://people.example.com) now gets viewer in acme/shop and below
          groups.list, repo.list
        declared by: undeclared
    "
  `);
  expect(accessMarkdown(opened)).toMatchInlineSnapshot(`
    "**Access: people who log in get other roles.**

    - anybody who logs in through the identity provider people (issuer https\\://people.example.com) now gets viewer in acme/shop and below: groups.list, repo.list
    "
  `);
  const known = { loginGrants: [{ ...oidc, uid, through: "identityProvider", name: "people", role: viewer }] as const };
  expect(accessText(planned([write("identityProviders", provider, undefined)], known))).toMatchInlineSnapshot(`
    "Access: people who log in get other roles.

    - anybody who logs in through the identity provider people (issuer https://people.example.com) no longer gets viewer in acme/shop and below
          groups.list, repo.list
        declared by: undeclared
    "
  `);
});

it("says that nobody gains or loses anything only if everything was read", () => {
  expect(accessText(planned([write("groups", undefined, { uid: `${shop}/${"2".repeat(16)}`, name: "web" })]))).toBe(
    "Access: nobody gains or loses anything.\n",
  );
});

it("does not say that nobody gains or loses anything if the plan may lack changes", () => {
  const created = write("groups", undefined, { uid: `${shop}/${"2".repeat(16)}`, name: "web" });
  const access = planned([created], {}, [{ capability: "identity.list", group: shop }]);
  expect(access.complete).toBe(false);
  expect(accessText(access)).toBe(
    `Access: what changes is unknown.\n\n? Unknown: you do not have identity.list in acme/shop (${shop}): what would change there is not planned.\n`,
  );
});
