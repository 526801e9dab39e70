import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { customResourceDefinition } from "#src/api/crd.ts";
import type { ClusterServer } from "#src/commands/reader/cluster-server.testing.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { LinkValue } from "#src/commands/why/link.ts";
import type { KubeObject } from "#src/kube/object.ts";
import {
  definitions,
  DoctorWorld,
  kubeSystem,
  lease,
  policiesIn,
  putPolicies,
  refusesAll,
  tenant,
} from "./doctor-world.testing.ts";

/** How many lines there are: one for the CRD of each kind, and the others. */
const lines = kinds.length + 19;

let world: DoctorWorld;
beforeAll(async () => {
  world = await DoctorWorld.start();
});
afterAll(() => world.stop());
beforeEach(() => world.reset());

it("passes every line where nothing is wrong, and exits with 0", async () => {
  const { code, stdout, stderr } = await world.doctor();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`${lines} passed, 0 failed, 0 unknown.\n`);
  for (const check of [
    "network",
    "clock",
    "calls",
    "capabilities",
    "owner id",
    "CRD",
    "policy",
    "dry run",
    "RBAC",
    "leader",
    "Tenant",
  ])
    expect(stdout, check).toMatch(new RegExp(`^pass +${check} `, "m"));
  expect(stdout).toContain("are checked in its pod: kubectl -n muster-system exec");
});

const crd = customResourceDefinition(definitions[0] as (typeof definitions)[0]);
/** The CRD with other fields in the spec. */
function withFields(change: (fields: Readonly<Record<string, unknown>>) => object): typeof crd {
  const changed = structuredClone(crd);
  const spec = changed.spec.versions[0]?.schema.openAPIV3Schema.properties.spec;
  Object.assign(spec ?? {}, { properties: change(spec?.properties ?? {}) });
  return changed;
}

it.each<[name: string, line: string, message: string, change: (cluster: ClusterServer) => void]>([
  [
    "an older CRD",
    "CRD",
    "older than this muster: it does not have spec.policy",
    (cluster) =>
      cluster.put(
        "customresourcedefinitions",
        withFields(({ policy: _policy, ...fewer }) => fewer),
      ),
  ],
  [
    "a CRD with other rules",
    "CRD",
    "It has every field of this muster, and other rules for spec: it is of another version.",
    (cluster) => {
      const changed = structuredClone(crd);
      const spec = changed.spec.versions[0]?.schema.openAPIV3Schema.properties.spec;
      Object.assign(spec ?? {}, { required: ["description"] });
      cluster.put("customresourcedefinitions", changed);
    },
  ],
  [
    "a policy that does not cover a kind",
    "policy",
    "does not cover CREATE and UPDATE of groups/status. Without it, RBAC alone",
    (cluster) => {
      const others = JSON.stringify(policiesIn("base")).replaceAll('"groups/status', '"others/status');
      putPolicies(cluster, JSON.parse(others) as KubeObject[]);
    },
  ],
  [
    "a missing right",
    "RBAC",
    ": patch identities.iam.muster.dev/status.",
    (cluster) => {
      cluster.permits = (right) => right !== "patch identities/status";
    },
  ],
  [
    "that all rights are missing, without a list of them",
    "RBAC",
    "permissions that it needs.",
    (cluster) => {
      cluster.permits = () => false;
    },
  ],
  [
    "a Lease that nobody renews",
    "leader",
    "pod-1 has not renewed the Lease since 2020",
    (cluster) => cluster.put("leases", lease({ holderIdentity: "pod-1", renewTime: "2020-01-01T00:00:00Z" })),
  ],
  [
    "a Tenant that is not Ready",
    "Tenant",
    "what is wrong",
    (cluster) => cluster.put("tenants", tenant("RootNotFound", "what is wrong")),
  ],
  [
    "another cluster",
    "owner id",
    "It records the owner id kube-system-uid, but this operator's is other",
    (cluster) => cluster.put("namespaces", kubeSystem("other")),
  ],
])("reports %s, and what to do", async (_name, line, message, change) => {
  change(world.cluster);
  expect(await world.failures()).toMatchObject([
    { link: line, state: "problem", message: expect.stringContaining(message), fix: expect.stringMatching(/./) },
  ]);
  expect(await world.doctor()).toMatchObject({
    code: 3,
    stderr: `muster doctor: ${lines - 1} passed, 1 failed, 0 unknown.\n`,
  });
});

it("reports a Tenant that is not Ready behind more than a page of others", async () => {
  const others = Array.from({ length: 600 }, (_, index) => ({
    ...tenant("Available", "m"),
    metadata: { name: `t-${index}`, generation: 1 },
  }));
  world.cluster.clear();
  world.cluster.put("tenants", ...others, tenant("RootNotFound", "what is wrong"));
  expect((await world.failures()).filter(({ link }) => link === "Tenant")).toMatchObject([
    { subject: "Tenant/shop", reason: "RootNotFound" },
  ]);
});

it("checks the operator of a class, with the names that end with the class", async () => {
  const suffixed = <T extends KubeObject>(object: T): T => ({
    ...object,
    metadata: { ...object.metadata, name: `${object.metadata.name}-blue` },
  });
  const { cluster } = world;
  cluster.clear();
  cluster.put("customresourcedefinitions", ...definitions.map((definition) => customResourceDefinition(definition)));
  const bound = JSON.stringify(policiesIn("base")).replaceAll(/"policyName":"([^"]+)"/g, '"policyName":"$1-blue"');
  putPolicies(cluster, (JSON.parse(bound) as KubeObject[]).map(suffixed));
  cluster.refuses = (request, asUser) => refusesAll(request, asUser)?.replaceAll(/'([^']+)'/g, "'$1-blue'");
  cluster.put("leases", suffixed(lease({ holderIdentity: "pod-1", renewTime: new Date().toISOString() })));
  cluster.put("tenants", {
    ...tenant("Available", "m"),
    spec: { namespaces: ["shop"], groups: ["a".repeat(40)], class: "blue" },
  });
  cluster.permits = (_, user) => user?.endsWith("-blue") !== false;
  const text = await world.doctor(["--class", "blue", "--operator-namespace", "muster-system"]);
  expect(text.stdout).toContain(": kubectl -n muster-system exec deployment/muster-operator-blue -- muster doctor\n");
  const { stdout } = await world.doctor(["--class", "blue", "--owner-id", "other", "-o", "json"]);
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly LinkValue[] };
  expect(checks.filter(({ state }) => state !== "ok").map(({ link }) => link)).toEqual(["owner id"]);
  const withoutClass = (await world.failures()).find(({ link }) => link === "Tenant");
  expect(withoutClass).toMatchObject({
    message: expect.stringContaining("1 Tenant of the class blue"),
    fix: expect.stringContaining("--class"),
  });
});

it("reports missing CRDs and policies", async () => {
  world.cluster.clear();
  const found = await world.failures();
  expect(found.filter(({ message }) => message === "It is not installed.")).toHaveLength(definitions.length);
  expect(found.filter(({ link }) => link === "policy")).toHaveLength(3);
});

it("prints no control character that a CRD has in the name of a field", async () => {
  const newer = withFields((fields) => ({ ...fields, "x\u001b[2Jy": { type: "string" } }));
  world.cluster.put("customresourcedefinitions", newer);
  const { stdout } = await world.doctor();
  expect(stdout).toContain("It is newer: it also has spec.x[2Jy.");
});

it("only reads, asks for access reviews, and tries writes without making them", async () => {
  for (const one of ["admission-policy", "pod-injection"]) putPolicies(world.cluster, policiesIn(`components/${one}`));
  await world.doctor();
  const methods = new Set(world.cluster.calls.map((call) => call.replace(/^GET .*/, "GET")));
  expect([...methods].toSorted()).toEqual([
    "GET",
    "PATCH /apis/iam.muster.dev/v1beta1/tenants/shop",
    "PATCH /apis/iam.muster.dev/v1beta1/tenants/shop/status",
    "POST /api/v1/namespaces/default/pods",
    "POST /apis/authorization.k8s.io/v1/subjectaccessreviews",
    "POST /apis/iam.muster.dev/v1beta1/namespaces/default/groups",
  ]);
  // The server refuses every other write.
  expect(world.gateway.calls.every((call) => call.startsWith("GET "))).toBe(true);
});
