import { ownerHash } from "#src/kinds/marker.ts";
import type { ExistingTree } from "./existing-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import { importTree } from "./import-tree.ts";
import type { GroupFolder, ImportedObject, ImportedTree } from "./imported-tree.ts";

// A group `team` with a group `shop`, in which the identity `ci` is bound to the role `viewer`.

export const root = "a".repeat(40);
export const team = `${root}/00000000000000a1`;
export const shop = `${team}/00000000000000b1`;
export const ci = `${shop}/00000000000000c1`;
export const viewer = { uid: "c".repeat(40), name: "viewer" };
const builtIn = { ...viewer, description: "", capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] };
export const custom = { uid: `${root}/00000000000000d1`, name: "custom" };
export const claimMatch = { issuer: "https://ci.example", subject: "repo:acme/shop" };
export const group = { uid: shop, name: "shop", description: "" };
export const identity = { uid: ci, name: "ci", description: "", claimMatch };
export const binding = { uid: `${shop}/00000000000000e1`, identity: { uid: ci, name: "ci" }, role: viewer };
export const own = ownerHash("cluster");

/** Imports that tree, with changes. */
export function imported(tree: Partial<ExistingTree>, options: Partial<ImportOptions> = {}): ImportedTree {
  return importTree(
    {
      group: { uid: team, name: "team", description: "ours" },
      groups: [group],
      identities: [identity],
      identitiesElsewhere: [],
      roles: [],
      rolesElsewhere: [builtIn],
      roleBindings: [binding],
      roleBindingsElsewhere: [],
      identityProviders: [],
      accountAssociations: [],
      others: [],
      ...tree,
    },
    {
      namespace: "team",
      adopt: true,
      owners: [own],
      breakGlass: [],
      withoutSecret: [],
      operatorClass: undefined,
      earlierNames: new Map(),
      cluster: [],
      clusterIssuer: undefined,
      publicIssuers: [],
      ...options,
    },
  );
}

/** The objects of all folders. */
export function objectsOf({ folder }: ImportedTree): readonly ImportedObject[] {
  const all = ({ objects, folders }: GroupFolder): readonly ImportedObject[] => [...objects, ...folders.flatMap(all)];
  return all(folder);
}
export const specOf = (tree: ImportedTree, kind: string) =>
  objectsOf(tree).find((one) => one.kind === kind && one.spec["uid"] !== team)?.spec;
export const exceptionsOf = ({ exceptions }: ImportedTree) =>
  exceptions.map(({ noun, outcome, reason }) => `${noun} ${outcome}: ${reason}`);
