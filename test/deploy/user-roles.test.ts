import { beforeAll, describe, expect, it, vi } from "vitest";
import { abandonAnnotation } from "#src/api/annotations.ts";
import { apiGroup, apiVersion, finalizer } from "#src/api/custom-resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { cases } from "#test/manifests/cases.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { applyDefinitions } from "./definitions.ts";
import { kustomize } from "./kustomize.ts";
import { bindRole, refusal, serviceAccount } from "./users.ts";

const namespace = "team-a";
const other = "team-b";
const reads = ["get", "list", "watch"];
const writes = ["create", "update", "patch", "delete", "deletecollection"];
const plurals = kinds.map(({ definition: { plural } }) => plural);

interface Access {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

describeWithControlPlane("the roles for people", (controlPlane) => {
  /** Users, each with a role of Kubernetes of the same name in one namespace; `tenant-admin` in the whole cluster. */
  const users: Record<string, KubeClient> = {};
  const as = (user: string): KubeClient => users[user] ?? expect.fail(`no user ${user}`);

  beforeAll(async () => {
    const { admin } = controlPlane();
    await applyDefinitions(admin);
    for (const name of [namespace, other])
      await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    for (const one of await kustomize("base")) await admin.apply(one);
    for (const role of ["view", "edit", "admin"]) {
      users[role] = await serviceAccount(controlPlane(), "default", role);
      await bindRole(controlPlane(), role, role, namespace);
    }
    users["tenant-admin"] = await serviceAccount(controlPlane(), "default", "tenant-admin");
    await bindRole(controlPlane(), "tenant-admin", "muster-tenant-admin", undefined);
    // A controller of Kubernetes adds the rules to view, edit and admin, and the API server observes them after that.
    await vi.waitFor(
      async () => {
        for (const role of ["view", "edit", "admin"])
          expect(await can(role, { verb: "list", resource: "groups", namespace })).toBe(true);
        expect(await can("tenant-admin", { verb: "update", resource: "tenants" })).toBe(true);
        const probe = as("edit").create(object({ annotations: { [abandonAnnotation]: "true" } }), { dryRun: true });
        expect(await refusal(probe)).toContain("muster-reserved");
      },
      { timeout: 60_000, interval: 100 },
    );
  });

  async function can(user: string, access: Access): Promise<boolean> {
    const review = await controlPlane().admin.create({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      metadata: { name: "" },
      spec: { user: `system:serviceaccount:default:${user}`, resourceAttributes: { group: apiGroup, ...access } },
    });
    return review["status"].allowed;
  }

  const inEach = (verbs: readonly string[], resources: readonly string[], where: object = { namespace }): Access[] =>
    verbs.flatMap((verb) => resources.map((resource) => ({ verb, resource, ...where })));
  const notForAnyone: readonly Access[] = [
    ...["get", "update", "patch"].flatMap((verb) =>
      plurals.map((resource) => ({ verb, resource, subresource: "status", namespace })),
    ),
    ...inEach([...reads, ...writes, "operate"], ["tenants"], {}),
    ...inEach(["update", "patch"], ["tenants"], { subresource: "status" }),
    ...inEach([...reads, ...writes], plurals, { namespace: other }),
    ...inEach([...reads, ...writes], plurals, {}),
  ];

  it.each([
    ["view", inEach(reads, plurals), [...inEach(writes, plurals), ...notForAnyone]],
    ["edit", inEach([...reads, ...writes], plurals), notForAnyone],
    ["admin", inEach([...reads, ...writes], plurals), notForAnyone],
    [
      "tenant-admin",
      inEach([...reads, ...writes], ["tenants"], {}),
      [
        { verb: "operate", resource: "tenants" },
        ...inEach(["update", "patch"], ["tenants"], { subresource: "status" }),
        ...inEach([...reads, ...writes], plurals),
      ],
    ],
  ])("the role %s permits exactly what it should", async (user, allowed, denied) => {
    const of = async (accesses: readonly Access[], expected: boolean) => {
      const answers = await Promise.all(accesses.map((access) => can(user, access)));
      return accesses.filter((_, index) => answers[index] !== expected);
    };
    expect(await of(allowed, true)).toEqual([]);
    expect(await of(denied, false)).toEqual([]);
  });

  describe.each(["edit", "admin"])("with the role %s in a namespace, a user", (role) => {
    it("can create, edit and delete a Group there", async () => {
      const created = await as(role).create(object());
      const edited = await as(role).patch(created, { spec: { description: "changed" } });
      expect(edited["spec"].description).toBe("changed");
      await as(role).delete(created);
      expect((await controlPlane().admin.get(created)).metadata.deletionTimestamp).toBeDefined();
    });

    it("cannot create one elsewhere", async () => {
      const elsewhere = object();
      const metadata = { ...elsewhere.metadata, namespace: other };
      expect(await refusal(as(role).create({ ...elsewhere, metadata }))).toContain('in the namespace "team-b"');
    });

    it("cannot write a status, abandon an object or remove the finalizer", async () => {
      const created = await as(role).create(object());
      const abandon = { metadata: { annotations: { [abandonAnnotation]: "true" } } };
      expect(await refusal(as(role).patch(created, { status: {} }, "status"))).toContain("groups/status");
      expect(await refusal(as(role).patch(created, abandon))).toContain("ask somebody who may update Tenants");
      expect(await refusal(as(role).patch(created, { metadata: { finalizers: null } }))).toContain(
        "the operator removes",
      );
    });

    it("can list everything there that is in the category muster, as kubectl get muster does", async () => {
      const path = `/apis/${apiVersion}`;
      const { resources } = (await as(role).request("GET", path)) as {
        readonly resources: readonly {
          readonly name: string;
          readonly namespaced: boolean;
          readonly categories?: string[];
        }[];
      };
      const listed = resources.filter(({ categories }) => categories?.includes("muster"));
      expect(listed.map(({ name }) => name).toSorted()).toEqual(plurals.toSorted());
      for (const { name, namespaced } of listed) {
        const place = namespaced ? `/namespaces/${namespace}` : "";
        expect(await as(role).request("GET", `${path}${place}/${name}`)).toHaveProperty("items");
      }
    });

    it("can neither read nor write Tenants", async () => {
      const tenant: KubeObject = {
        apiVersion,
        kind: "Tenant",
        metadata: { name: "shop" },
        spec: { namespaces: [namespace] },
      };
      expect(await refusal(as(role).list(tenant))).toContain("cannot list resource");
      expect(await refusal(as(role).create(tenant))).toContain("cannot create resource");
      expect(await refusal(as(role).patch(tenant, { spec: {} }))).toContain("cannot patch resource");
    });
  });
});

let count = 0;
function object(metadata: object = {}): KubeObject {
  const name = `object-${(count += 1)}`;
  return {
    apiVersion,
    kind: "Group",
    metadata: { name, namespace, finalizers: [finalizer], ...metadata },
    spec: cases.Group.valid[0]?.spec,
  };
}
