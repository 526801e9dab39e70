import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { otherRoot, parent as team, root } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { isProviderAbsent } from "./absent-providers.ts";

const listed = `${root}/aaaaaaaaaaaaaaaa`;
const issuer = "https://login.example";
const people = { hasProvider: (uid: string, of: string) => uid === listed && of === issuer };

/** Sources with one object that declares a provider. */
function sourcesWith(resource: object, invalid?: string): Pick<Sources, "kinds" | "stores"> {
  const values = (kind: string) => (kind === "IdentityProvider" ? [{ resource, invalid }] : []);
  return { kinds, stores: { get: (kind: string) => ({ values: () => values(kind) }) } as unknown as Sources["stores"] };
}

const spec = (groupUid: string) => ({ groupUid, issuer, defaultRoleRef: { name: "viewer" } });

it.each<[string, boolean, object]>([
  ["has it", false, { spec: spec(root), status: { uid: listed, parentUid: root } }],
  ["lost it", true, { spec: spec(root), status: { uid: `${root}/bbbbbbbbbbbbbbbb`, parentUid: root } }],
  [
    "has it with another issuer",
    true,
    { spec: { ...spec(root), issuer: "https://other.example" }, status: { uid: listed, parentUid: root } },
  ],
  ["never had it", true, { spec: spec(root) }],
  ["never had it, in this group", true, { spec: spec(team) }],
  ["never had it, and it is elsewhere", false, { spec: spec(otherRoot) }],
  ["never had it, wherever it is", true, { spec: { groupRef: { name: "shop" }, defaultRoleRef: { name: "viewer" } } }],
])("a declared provider is absent where the platform %s: %s", (_, expected, resource) => {
  expect(isProviderAbsent(sourcesWith(resource), people, team)).toBe(expected);
});

it("an object that does not match its schema may declare a provider anywhere", () => {
  expect(isProviderAbsent(sourcesWith({ spec: {} }, "spec.issuer"), people, team)).toBe(true);
});
