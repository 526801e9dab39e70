import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { apiVersion, finalizer } from "#src/api/custom-resource.ts";
import { cases } from "#test/manifests/cases.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { applyDefinitions } from "./definitions.ts";
import { kustomize, manifests } from "./kustomize.ts";
import { operatorAccount, type ServiceAccountName } from "./operator-rbac.ts";
import { refusal, serviceAccount } from "./users.ts";
import { Workload } from "./workload.ts";

describeWithControlPlane("an overlay with another namespace and a name suffix", (controlPlane) => {
  const account: ServiceAccountName = { namespace: "iam", name: "muster-operator-b" };
  let folder = "";
  let objects: readonly KubeObject[] = [];

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "muster-overlay-")));
    const write = async (path: string, content: object) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), stringify(content));
    };
    const shipped = (from: string, name: string) => relative(join(folder, from), join(manifests, name));
    await write("operator/kustomization.yaml", {
      namespace: account.namespace,
      nameSuffix: "-b",
      resources: [shipped("operator", "base")],
      components: [shipped("operator", "components/admission-policy"), shipped("operator", "components/pod-injection")],
    });
    await write("tenants/shop/kustomization.yaml", {
      namespace: "muster-system",
      nameSuffix: "-shop",
      resources: [shipped("tenants/shop", "tenant-token")],
    });
    await write("kustomization.yaml", { namespace: account.namespace, resources: ["operator", "tenants/shop"] });
    objects = await kustomize(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("refers only to objects that it contains", () => {
    const names = new Set(objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`));
    const references = objects.flatMap((object) => {
      const { kind, roleRef, subjects = [], spec } = object;
      return [
        ...(roleRef === undefined ? [] : [`${roleRef.kind} ${roleRef.name}`]),
        ...subjects.map((subject: { kind: string; name: string }) => `${subject.kind} ${subject.name}`),
        ...(spec?.policyName === undefined ? [] : [`${kind.replace("Binding", "")} ${spec.policyName}`]),
      ];
    });
    expect(references.filter((reference) => !names.has(reference))).toEqual([]);
    expect(references).toContain("ValidatingAdmissionPolicy muster-reserved-b");
    expect(references).toContain("ValidatingAdmissionPolicy muster-operator-writes-b");
    expect(references).toContain("ValidatingAdmissionPolicy muster-public-issuers-b");
    expect(references).toContain("MutatingAdmissionPolicy muster-finalizer-b");
    expect(references).toContain("MutatingAdmissionPolicy muster-identity-b");
    expect(references).toContain("ValidatingAdmissionPolicy muster-identity-required-b");
  });

  it("contains the previous namespace nowhere", () => {
    expect(objects.map((object) => stringify(object)).filter((text) => text.includes("muster-system"))).toEqual([]);
    const binding = objects.find(({ spec }) => spec?.paramRef !== undefined);
    expect(binding?.["spec"].paramRef.namespace).toBe(account.namespace);
  });

  it("gives the operator a Lease of its own, and the permission to use it", () => {
    const deployed = new Workload(objects, "Deployment", "muster-operator-b");
    expect(deployed.environment["MUSTER_LEASE_NAME"]).toBe(account.name);
    const role = objects.find(({ kind, metadata }) => kind === "Role" && metadata.name === "muster-lease-b");
    const names = role?.["rules"].flatMap(({ resourceNames = [] }: { resourceNames?: string[] }) => resourceNames);
    expect(names).toEqual([account.name]);
  });

  describe("in a cluster that has another operator", () => {
    let operators: readonly KubeClient[] = [];
    const group = (name: string): KubeObject => ({
      apiVersion,
      kind: "Group",
      metadata: { name, namespace: "default" },
      spec: cases.Group.valid[0]?.spec,
    });

    beforeAll(async () => {
      const { admin } = controlPlane();
      await applyDefinitions(admin);
      for (const object of [...objects, ...(await kustomize("base"))]) await admin.apply(object);
      operators = [
        await serviceAccount(controlPlane(), account.namespace, account.name),
        await serviceAccount(controlPlane(), operatorAccount.namespace, operatorAccount.name),
      ];
      // The API server observes roles and policies a moment after their creation. Before the policy that adds the finalizer is
      // in effect, objects are created without it; then, until the API server has read the schema of a new CRD, the policy
      // rejects them.
      let attempt = 0;
      const probe = await vi.waitFor(
        async () => {
          const created = await admin.create(group(`probe-${(attempt += 1)}`));
          expect(created.metadata.finalizers).toEqual([finalizer]);
          return created;
        },
        { timeout: 60_000, interval: 100 },
      );
      await vi.waitFor(
        async () => {
          for (const operator of operators) {
            // Another value each time: before the policy is in effect the patch succeeds, and then it would change nothing.
            const labels = { attempt: String((attempt += 1)) };
            const message = await refusal(operator.patch(probe, { metadata: { labels } }));
            expect(message).toContain("muster-operator-writes");
          }
        },
        { timeout: 60_000, interval: 100 },
      );
    });

    it("both operators are recognized: each can write a status, also of a Tenant", async () => {
      const { admin } = controlPlane();
      const tenant = { apiVersion, kind: "Tenant", metadata: { name: "shop" }, spec: { namespaces: ["default"] } };
      for (const object of [await admin.create(group("served")), await admin.create(tenant)])
        for (const operator of operators) await operator.patch(object, { status: { observedGeneration: 1 } }, "status");
    });

    it("the operator can request tokens of the account that is named after the Tenant, and of no other", async () => {
      const [operator] = operators;
      if (operator === undefined) throw new Error("the operator is missing");
      await vi.waitFor(() => operator.createToken(account.namespace, "muster-tenant-shop"), { timeout: 10_000 });
      for (const name of [account.name, "muster-tenant-other", "default"])
        expect(await refusal(operator.createToken(account.namespace, name))).toContain(
          'cannot create resource "serviceaccounts/token"',
        );
      const elsewhere = operator.createToken("default", "muster-tenant-shop");
      expect(await refusal(elsewhere)).toContain('in the namespace "default"');
    });

    it("the operator's permission for its Lease is in its namespace only", async () => {
      const can = async (namespace: string, name: string) => {
        const review = await controlPlane().admin.create({
          apiVersion: "authorization.k8s.io/v1",
          kind: "SubjectAccessReview",
          metadata: { name: "" },
          spec: {
            user: `system:serviceaccount:${account.namespace}:${account.name}`,
            resourceAttributes: { verb: "update", group: "coordination.k8s.io", resource: "leases", namespace, name },
          },
        });
        return review["status"].allowed;
      };
      expect(await can(account.namespace, account.name)).toBe(true);
      expect(await can(account.namespace, operatorAccount.name)).toBe(false);
      expect(await can(operatorAccount.namespace, operatorAccount.name)).toBe(false);
    });
  });
});
