import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { otherRoot, parent as team, root } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { everything } from "#src/reconcile/tenancy/boundary.testing.ts";
import { isProviderAbsent } from "./absent-providers.ts";

const listed = `${root}/aaaaaaaaaaaaaaaa`;
const issuer = "https://login.example";
const people = { hasProvider: (uid: string, of: string) => uid === listed && of === issuer };

type Permits = "everything" | "nothing" | "otherKinds";

/** Sources with one object that declares a provider, whose Tenant permits so much, and the Group `shop` in the other root. */
function sourcesWith(
  resource: object,
  { invalid, permits = "everything" }: { readonly invalid?: string; readonly permits?: Permits } = {},
): Pick<Sources, "kinds" | "stores" | "tenancy"> {
  const values = (kind: string) => (kind === "IdentityProvider" ? [{ resource, invalid }] : []);
  const get = (key: string) => (key === "team/shop" ? { resource: { status: { uid: otherRoot } } } : undefined);
  const all = everything({ roots: [root, otherRoot], roles: [], namespaces: null });
  const boundary = permits === "otherKinds" ? { ...all, kinds: ["Group"] } : all;
  return {
    kinds,
    stores: { get: (kind: string) => ({ values: () => values(kind), get }) } as unknown as Sources["stores"],
    tenancy: {
      governanceOf: () => (permits === "nothing" ? { by: "none" } : { by: "tenant", context: { boundary } }),
    } as unknown as Sources["tenancy"],
  };
}

const metadata = { namespace: "team" };
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
  ["never had it, and its Group has none yet", true, { spec: { groupRef: { name: "new" } } }],
  ["never had it, and its Group is elsewhere", false, { spec: { groupRef: { name: "shop" } } }],
])("a declared provider is absent where the platform %s: %s", (_, expected, resource) => {
  expect(isProviderAbsent(sourcesWith({ metadata, ...resource }), people, team)).toBe(expected);
});

it.each<[Permits, boolean, object]>([
  ["nothing", false, { spec: spec(root) }],
  ["nothing", false, { spec: { groupRef: { name: "new" } } }],
  ["otherKinds", false, { spec: spec(root) }],
  ["nothing", true, { spec: spec(root), status: { uid: `${root}/bbbbbbbbbbbbbbbb`, parentUid: root } }],
])(
  "of an object whose Tenant permits %s, a provider counts only if it was recorded: %s",
  (permits, expected, parts) => {
    expect(isProviderAbsent(sourcesWith({ metadata, ...parts }, { permits }), people, team)).toBe(expected);
  },
);

it.each([
  ["in a group outside", { spec: spec("c".repeat(40)) }, "c".repeat(40)],
  ["in a group that is not known yet", { spec: { groupRef: { name: "new" } } }, "c".repeat(40)],
])("an object without a provider counts only within the groups of its own Tenant: %s", (_, parts, group) => {
  expect(isProviderAbsent(sourcesWith({ metadata, ...parts }), people, group)).toBe(false);
});

it("an object that does not match its schema may declare a provider anywhere in its Tenant's groups", () => {
  const sources = sourcesWith({ metadata, spec: {} }, { invalid: "spec.issuer" });
  expect(isProviderAbsent(sources, people, team)).toBe(true);
  expect(isProviderAbsent(sources, people, "c".repeat(40))).toBe(false);
});
