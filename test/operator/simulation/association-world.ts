import type { ExternalAccountAssociation } from "#src/kinds/account-association.ts";
import type { Manifest } from "./memory-kube.ts";
import { awsAccount, red, TwoTenants } from "./two-tenants.ts";

export const policy = { management: "Full", adoption: "Never", drift: "Correct" };
export const shop: Manifest = { kind: "Group", name: "shop", spec: { parentUid: red, policy } };
export const cloud = (spec: object = {}, name = "cloud"): Manifest => ({
  kind: "AccountAssociation",
  name,
  spec: { groupRef: { name: "shop" }, amazon: { account: awsAccount }, policy, ...spec },
});
export const tree = [shop, cloud()];
/** An account that the Tenants do not permit. */
export const foreign = { account: "210987654321" };

/** The world of the red Tenant after these manifests became Available, and the association of the group `shop` in it. */
export async function startWith(...manifests: readonly Manifest[]) {
  const world = new TwoTenants();
  await world.apply(manifests);
  await world.until("Available", manifests);
  const { platform, kube } = world.scenario;
  const group = () => world.statusOf(shop)?.uid ?? "";
  const found = () => platform.createdIn("accountAssociations").find(({ uid }) => uid === group());
  return {
    world,
    platform,
    kube,
    group,
    association: () => found() as ExternalAccountAssociation | undefined,
    /** Somebody else creates an association of the group, in place of the one that there is. */
    replace: (fields: Partial<ExternalAccountAssociation> = {}) =>
      platform.set("accountAssociations", {
        uid: group(),
        name: "by hand",
        description: "",
        createTime: "2026-05-05T00:00:00.000Z",
        amazon: foreign,
        ...fields,
      }),
  };
}
