import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { writeFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { ClusterServer } from "#src/commands/reader/cluster-server.testing.ts";
import { ImportingPlatform } from "./importing-platform.testing.ts";

// What objects of the cluster declare already.

const at = ImportingPlatform.forTests();
const cluster = new ClusterServer();
beforeAll(() => cluster.listen());
beforeEach(() => cluster.clear());
afterAll(() => cluster.close());

async function importTeam(...args: readonly string[]) {
  const { home, team } = at.world;
  const kubeconfig = join(home, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig);
  return at.world.report(team, ["--kubeconfig", kubeconfig, ...args]);
}

function put(plural: string, kind: string, name: string, spec: object, status: object = {}, namespace = "shop"): void {
  const object = { apiVersion: "iam.muster.dev/v1beta1", kind, metadata: { name, namespace }, spec, status };
  cluster.put(plural, object);
}

it("leaves out a role binding that an object of another name declares, and says which", async () => {
  const { shop, ci, grant } = at.world;
  const spec = { groupUid: shop, identityUid: ci, roleRef: { name: "viewer" } };
  for (const status of [{ uid: grant }, {}]) {
    put("rolebindings", "RoleBinding", "ci-reads", spec, status);
    const { code, objects, exceptions, clusterNotRead } = await importTeam("--adopt");
    expect({ code, objects, clusterNotRead }).toEqual({ code: 3, objects: { Group: 2, Identity: 1 } });
    expect(exceptions).toMatchObject([{ noun: "role binding", uid: grant, reason: "declared by shop/ci-reads" }]);
  }
});

it("declares what an object only observes", async () => {
  const { shop, ci, grant } = at.world;
  const policy = { management: "Observe" };
  put(
    "rolebindings",
    "RoleBinding",
    "a",
    { groupUid: shop, identityUid: ci, roleRef: { name: "viewer" }, policy },
    { uid: grant },
  );
  expect(await importTeam()).toMatchObject({ code: 0, objects: { RoleBinding: 1 } });
});

it("changes no byte after its own objects were applied", async () => {
  const { shop, ci, grant } = at.world;
  await importTeam("--adopt");
  const before = at.world.content();
  const files = Object.keys(before).flatMap(
    (path) => /rolebinding-(?<name>.*)[.]yaml$/.exec(path)?.groups?.["name"] ?? [],
  );
  expect(files).toHaveLength(1);
  const spec = { groupUid: shop, identityUid: ci, roleRef: { name: "viewer" } };
  put("rolebindings", "RoleBinding", files[0] ?? "", spec, { uid: grant }, "team");
  expect(await importTeam("--adopt")).toMatchObject({ code: 0, exceptions: [] });
  expect(at.world.content()).toEqual(before);
});

it("says why the cluster was not read", async () => {
  cluster.forbidden.add("groups");
  const { code, clusterNotRead } = await importTeam();
  expect({ code, clusterNotRead }).toEqual({ code: 0, clusterNotRead: expect.stringContaining("groups is forbidden") });
});

it("says that the Tenant of the import would replace one that somebody made", async () => {
  const putTenant = (spec: unknown) =>
    cluster.put("tenants", {
      apiVersion: "iam.muster.dev/v1beta1",
      kind: "Tenant",
      metadata: { name: "team" },
      spec: spec as object,
    });
  putTenant({ namespaces: ["team", "other"], groups: [at.world.shop], roles: ["editor"] });
  expect(await importTeam()).toMatchObject({ replacedTenant: "team" });
  // The files are those of an earlier import now: the Tenant may be the one that it wrote.
  expect((await importTeam()).replacedTenant).toBeUndefined();
  const manifest: unknown = parse(at.world.content()["tenant.yaml"] ?? "");
  rmSync(at.world.folder, { recursive: true });
  const { stdout } = await at.world.run(at.world.team, ["--kubeconfig", join(at.world.home, "kubeconfig")]);
  expect(stdout).toContain(
    "Tenant: the cluster has a Tenant team already, which kubectl apply would replace by tenant.yaml.",
  );
  rmSync(at.world.folder, { recursive: true });
  putTenant((manifest as { readonly spec: object }).spec);
  expect((await importTeam()).replacedTenant).toBeUndefined();
});

it("names the Tenants of the cluster with which its own would overlap", async () => {
  const tenant = (name: string, spec: object) => {
    const metadata = { name };
    cluster.put("tenants", { apiVersion: "iam.muster.dev/v1beta1", kind: "Tenant", metadata, spec });
  };
  tenant("team", { namespaces: ["team"] });
  tenant("elsewhere", { namespaces: ["shop"] });
  const exists = { key: "kubernetes.io/metadata.name", operator: "Exists" };
  tenant("all", { namespaceSelector: { matchExpressions: [exists] } });
  expect((await importTeam()).overlappingTenants).toBeUndefined();
  const labels = { "kubernetes.io/metadata.name": "team" };
  cluster.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "team", labels } });
  tenant("a", { namespaces: ["team"] });
  expect((await importTeam()).overlappingTenants).toEqual(["a", "all"]);
  const { stdout } = await at.world.run(at.world.team, ["--kubeconfig", join(at.world.home, "kubeconfig")]);
  expect(stdout).toContain("Overlap: namespace team has Tenant a, Tenant all already, and with two Tenants");
  rmSync(at.world.folder, { recursive: true });
  expect((await importTeam("--namespace", "other")).overlappingTenants).toBeUndefined();
  cluster.forbidden.add("tenants");
  const unread = await importTeam();
  expect({ code: unread.code, tenants: unread.overlappingTenants }).toEqual({ code: 0, tenants: undefined });
});
