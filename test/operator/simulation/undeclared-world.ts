import type { Status } from "#src/api/status.ts";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import type { Manifest } from "./memory-kube.ts";
import { auditor, grantOf, owner, root } from "./memory-platform.ts";
import { Scenario, type ScenarioOptions } from "./scenario.ts";

export const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };

/** How much a Group does about undeclared access. */
type Mode = "Ignore" | "Report" | "Remove";

export const shop = (undeclared: Mode = "Report"): Manifest => ({
  kind: "Group",
  name: "shop",
  spec: { parentUid: root, undeclared, policy },
});
export const ci: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupRef: { name: "shop" }, claimMatch: { issuer: "https://issuer.example", subject: "ci" }, policy },
};
export const views: Manifest = {
  kind: "RoleBinding",
  name: "ci-views",
  spec: { groupRef: { name: "shop" }, identityRef: { name: "ci" }, roleRef: { name: "viewer" }, policy },
};
/** A grant of the role `viewer` to an identity that no object manages. */
export const auditorViews: Manifest = {
  kind: "RoleBinding",
  name: "auditor-views",
  spec: { groupRef: { name: "shop" }, identityUid: auditor, roleRef: { name: "viewer" }, policy },
};
/** A declared grant that is denied: the Tenant does not let anybody bind owner. */
export const denied = (name: string, identityUid: string): Manifest => ({
  kind: "RoleBinding",
  name,
  spec: { groupRef: { name: "shop" }, identityUid, roleUid: owner, policy },
});

/** The description of an identity that carries the marker of the Identity object `name` of the operator `ownerId`. */
export function markedFor(name: string, ownerId = "cluster"): string {
  return withMarker("", markerOf(ownerHash(ownerId), objectHash("Identity", "team", name)));
}

/** What a test of undeclared access can set of the Tenant. */
export type UndeclaredOptions = Pick<ScenarioOptions, "boundary" | "breakGlass" | "confirmation">;

/** A cluster with a declared group, identity and grant, and a platform that others write to, too. */
export async function startWorld(undeclared: Mode, options: UndeclaredOptions = {}) {
  const scenario = new Scenario({}, undefined, undefined, options);
  const { kube, platform } = scenario;
  for (const manifest of [shop(undeclared), ci, views]) kube.apply(manifest);
  const statusOf = (kind: string, name: string) => kube.find(kind, name)?.status as Status | undefined;
  const uidOf = (kind: string, name: string) => statusOf(kind, name)?.uid ?? "";
  await scenario.until("all have uids", () => [shop(), ci, views].every(({ kind, name }) => uidOf(kind, name) !== ""));
  await scenario.pass(1_000);
  const group = uidOf("Group", "shop");
  const status = () => statusOf("Group", "shop");
  let count = 0xabc0;
  /** Creates a resource as another client does. @returns its uid. */
  const create = (collection: string, parent: string, fieldsOf: (uid: string) => object): string => {
    const uid = `${parent}/${(count++).toString(16).padStart(16, "0")}`;
    platform.set(collection, { uid, ...fieldsOf(uid) });
    return uid;
  };
  return {
    events: scenario.events,
    scenario,
    kube,
    platform,
    group,
    identity: uidOf("Identity", "ci"),
    uidOf,
    /** Another client grants a role to an identity. */
    grant: (identityUid: string, roleUid = owner, parent = group) =>
      create("roleBindings", parent, (uid) => grantOf(uid, identityUid, roleUid)),
    /** Another client creates an identity. */
    stranger: (fields: object = {}, parent = group) =>
      create("identities", parent, (uid) => {
        const claimMatch = { issuer: "https://elsewhere.example", subject: uid };
        return { name: "stranger", description: "", claimMatch, ...fields };
      }),
    /** Another client creates a group below the declared one. */
    child: (name: string) => create("groups", group, () => ({ name, description: "" })),
    status,
    access: () => status()?.conditions?.find(({ type }) => type === "AccessDeclared"),
    listed: () => (status()?.undeclared ?? []).map(({ uid }) => uid).toSorted(),
    /** The uids of what exists, of those given. */
    existing: (...uids: readonly string[]) => uids.filter((uid) => platform.has(uid)),
    resync: async (times = 1) => {
      for (let resyncs = 0; resyncs < times; resyncs += 1) {
        await scenario.resync();
        await scenario.pass(1_000);
      }
    },
    share: () => scenario.process.undeclared.shareOf("all"),
  };
}
