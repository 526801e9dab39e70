import { expect, it } from "vitest";
import { accountAssociationKind } from "#src/kinds/account-association.ts";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { importFiles } from "./import-files.ts";
import type { ImportOptions } from "./import-options.ts";
import { exceptionsOf, group, imported, objectsOf, own, shop, specOf, team } from "./imported.testing.ts";

const amazon = { account: "123456789012" };
const google = { projectId: "acme-shop", projectNumber: "42" };
const azure = { tenantId: "acme", clientIds: { web: "2", ci: "1" } };
const installations = (...ids: readonly string[]) => ({
  installations: ids.map((installationId) => ({ installationId, name: installationId === "9" ? "acme" : "" })),
});
const github = { appInstallations: { 70: installations("10", "9"), 8: installations("9") } };
const everything = { amazon, google, azure, github };
const names = ["awsAccounts", "googleProjects", "azureTenants", "githubInstallations"];

/** Associations as the platform returns them, by default of the group `shop`. */
function withAssociations(associations: readonly object[], options: Partial<ImportOptions> = {}) {
  const accountAssociations = associations.map((fields) =>
    accountAssociationKind.collection.schema.parse({ uid: shop, name: "cloud", ...fields }),
  );
  return imported({ identities: [], roleBindings: [], accountAssociations }, options);
}

const specsOf = (tree: ReturnType<typeof withAssociations>) =>
  objectsOf(tree)
    .filter(({ kind }) => kind === "AccountAssociation")
    .map(({ spec }) => spec);
const listsOf = ({ tenant }: ReturnType<typeof withAssociations>) =>
  Object.fromEntries(Object.entries(tenant.spec).filter(([field]) => names.includes(field)));

it("declares an association by its group, and lets the Tenant list its accounts and no others", () => {
  const tree = withAssociations([everything]);
  expect(specOf(tree, "AccountAssociation")).toEqual({
    groupRef: { name: objectsOf(tree)[1]?.metadata.name },
    name: "cloud",
    amazon,
    google,
    azure,
    github: {
      apps: [
        { appId: "70", installations: [{ installationId: "10" }, { installationId: "9", name: "acme" }] },
        { appId: "8", installations: [{ installationId: "9", name: "acme" }] },
      ],
    },
    policy: { adoption: "IfExists" },
  });
  expect(tree.exceptions).toEqual([]);
  expect(listsOf(tree)).toEqual({
    awsAccounts: ["123456789012"],
    googleProjects: [google],
    azureTenants: ["acme"],
    githubInstallations: ["10", "9"],
  });
  expect(tree.tenant.spec).toMatchObject({
    kinds: ["AccountAssociation", "Group"],
    adopt: ["AccountAssociation", "Group"],
  });
});

it("leaves the references to the group as they are, although the association has its uid", () => {
  const both = [
    { uid: team, amazon },
    { uid: shop, google },
  ];
  const tree = withAssociations(both, { adopt: false });
  const [top, below] = objectsOf(tree).filter(({ kind }) => kind === "Group");
  expect(below?.spec["parentRef"]).toEqual({ name: top?.metadata.name });
  expect(specsOf(tree).map((spec) => spec["groupRef"])).toEqual(
    [top, below].map((one) => ({ name: one?.metadata.name })),
  );
  const paths = [...importFiles(tree).keys()].filter((path) => path.includes("accountassociation-"));
  expect(paths.map((path) => path.split("/").length)).toEqual([2, 3]);
});

it("has the same text in whichever order the platform returns it", () => {
  const reversed = {
    github: { appInstallations: { 8: installations("9"), 70: installations("9", "10") } },
    azure: { clientIds: { ci: "1", web: "2" }, tenantId: "acme" },
    google,
    amazon,
  };
  const texts = ([one]: readonly object[]) => [...importFiles(withAssociations([one ?? {}]))];
  expect(texts([reversed])).toEqual(texts([everything]));
});

it("recognizes what its own object manages", () => {
  const name = objectsOf(withAssociations([everything])).find(({ kind }) => kind === "AccountAssociation");
  const marker = markerOf(own, objectHash("AccountAssociation", "team", name?.metadata.name ?? ""));
  const tree = withAssociations([{ ...everything, description: withMarker("ours", marker, true) }]);
  expect(specOf(tree, "AccountAssociation")).toMatchObject({
    description: "ours",
    policy: { adoption: "IfExists" },
  });
  expect(tree.exceptions).toEqual([]);
});

it("only observes an association without accounts, and one of another owner", () => {
  const empty = withAssociations([{}]);
  expect(specsOf(empty)).toEqual([expect.objectContaining({ policy: { management: "Observe" } })]);
  expect(exceptionsOf(empty)).toEqual([
    "account association observed: it has no account, and an object that manages one must name one",
  ]);
  expect(withAssociations([{}], { adopt: false }).exceptions).toEqual([]);

  const marker = markerOf(ownerHash("elsewhere"), "0".repeat(16));
  const theirs = withAssociations([{ amazon, description: withMarker("", marker) }]);
  expect(specsOf(theirs)).toEqual([expect.objectContaining({ amazon, policy: { management: "Observe" } })]);
  expect(exceptionsOf(theirs)).toEqual(["account association observed: it carries the marker of another owner"]);
});

it.each<[string, object]>([
  ["spec.amazon.account: an AWS account must be 12 digits", { amazon: { account: "12" } }],
  ["spec.google.projectNumber: must be 1 to 18 digits", { google: { ...google, projectNumber: "" } }],
  ["spec.azure.tenantId: must be one line", { azure: { tenantId: "a\tb" } }],
  ["spec.github.apps", { github: { appInstallations: {} } }],
  ["spec.github.apps.0.installations", { github: { appInstallations: { 7: {} } } }],
  [
    "spec.github.apps: an App has the installation 9 twice",
    { github: { appInstallations: { 7: installations("9", "9") } } },
  ],
])("leaves all accounts out if no manifest can have one of them: %s", (reason, fields) => {
  const tree = withAssociations([{ amazon, ...fields }], { adopt: false });
  expect(exceptionsOf(tree).join()).toContain(`account association in part: ${reason}`);
  expect(specsOf(tree)).toEqual([{ groupRef: expect.anything(), name: "cloud", policy: { management: "Observe" } }]);
  expect(listsOf(tree)).toEqual({});
});

it.each<[string, object]>([
  ["no manifest can have this: spec.name: ", { name: "n".repeat(600) }],
  [
    "it carries the marker of another object of this owner",
    { description: withMarker("", markerOf(own, objectHash("AccountAssociation", "team", "by-hand"))) },
  ],
])("leaves an association out, and permits its accounts to nobody: %s", (reason, fields) => {
  const tree = withAssociations([{ ...everything, ...fields }]);
  expect(exceptionsOf(tree).join()).toContain(`account association left out: ${reason}`);
  expect(specsOf(tree)).toEqual([]);
  expect(listsOf(tree)).toEqual({});
  expect(tree.tenant.spec["kinds"]).toEqual(["Group"]);
});

it("observes an association whose description leaves no room for the marker", () => {
  const tree = withAssociations([{ amazon, description: "x".repeat(500) }]);
  expect(specsOf(tree)).toEqual([expect.objectContaining({ policy: { management: "Observe" } })]);
  expect(exceptionsOf(tree).join()).toContain("account association observed: spec.description: ");
});

it("lists what the Tenant cannot list, and permits nothing for it", () => {
  const ids = Array.from({ length: 257 }, (_, index) => index.toString(16).padStart(16, "0"));
  const many = (accountsOf: (index: number) => object) =>
    imported({
      identities: [],
      roleBindings: [],
      groups: ids.map((id) => ({ ...group, uid: `${team}/${id}` })),
      accountAssociations: ids.map((id, index) =>
        accountAssociationKind.collection.schema.parse({
          uid: `${team}/${id}`,
          name: "cloud",
          ...accountsOf(1_000 + index),
        }),
      ),
    });
  const tree = many((number) => ({ google, azure: { tenantId: `tenant-${number}` } }));
  expect(listsOf(tree)["azureTenants"]).toHaveLength(256);
  expect(exceptionsOf(tree)).toEqual([
    "account association observed: spec.azure.tenantId: the Tenant cannot list more accounts of this type",
  ]);
  const last = many((number) => ({
    ...(number === 1_256 ? { amazon } : {}),
    azure: { tenantId: `tenant-${number}` },
  }));
  expect(listsOf(last)).toEqual({ azureTenants: listsOf(tree)["azureTenants"] });
});

it("lists one number of a project", () => {
  const tree = withAssociations([
    { uid: team, google },
    { uid: shop, google: { ...google, projectNumber: "43" } },
  ]);
  expect(listsOf(tree)).toEqual({ googleProjects: [google] });
  expect(exceptionsOf(tree)).toEqual([
    "account association observed: spec.google: the Tenant can list a project with one number only",
  ]);
});
