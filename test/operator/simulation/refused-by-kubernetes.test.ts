import { expect, it } from "vitest";
import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import type { Status } from "#src/api/status.ts";
import { KubeError } from "#src/kube/errors.ts";
import { observeRefusals } from "#src/reconcile/observe/refusals.ts";
import type { Manifest, RefusablePatch } from "./memory-kube.ts";
import { root } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const group: Manifest = { kind: "Group", name: "payments", spec: { parentUid: root, policy } };

/** The message of the RBAC authorizer. */
const forbidden = ({ kind, name, subresource }: RefusablePatch) => {
  const plural = `${kind.toLowerCase()}s${subresource === undefined ? "" : "/status"}`;
  return new KubeError(
    { call: `patch ${plural}`, code: 403, reason: "Forbidden" },
    `groups.iam.muster.dev "${name}" is forbidden: User "system:serviceaccount:muster:muster" cannot patch resource "${plural}" in API group "iam.muster.dev" in the namespace "team"`,
  );
};

/** The message of a ValidatingAdmissionPolicy. */
const denied = () =>
  new KubeError(
    { call: "patch groups", code: 422, reason: "Invalid" },
    `groups.iam.muster.dev "payments" is forbidden: ValidatingAdmissionPolicy 'freeze' with binding 'freeze' denied request: no changes on Friday`,
  );

const readyOf = ({ kube }: Scenario) =>
  (kube.find("Group", "payments")?.status as Status | undefined)?.conditions?.find(({ type }) => type === "Ready");

it("shows on the object that the finalizer cannot be added, creates nothing meanwhile, and continues when it can", async () => {
  const scenario = new Scenario({ admission: false });
  const { kube, platform, process } = scenario;
  let refused = 0;
  kube.refuses = (patch) => {
    if (patch.subresource === "status") return undefined;
    refused += 1;
    return forbidden(patch);
  };
  kube.apply(group);
  await scenario.until("the refusal is shown", () => readyOf(scenario)?.status === "False");
  expect(readyOf(scenario)).toMatchObject({
    reason: "KubernetesForbidden",
    message: expect.stringMatching(/cannot patch resource "groups".*allows the verb patch on groups in the API group/),
  });
  await scenario.pass(600_000);
  expect(refused).toBeLessThanOrEqual(11);
  expect(platform.created()).toEqual([]);
  expect(process.failures).toEqual([]);
  kube.refuses = () => undefined;
  await scenario.until("created", () => scenario.differences([group]).length === 0);
  expect(observeRefusals(process.sources)).toEqual([]);
});

it("shows on the object that an admission policy does not let the finalizer go", async () => {
  const scenario = new Scenario();
  const { kube, process } = scenario;
  kube.apply(group);
  await scenario.until("created", () => scenario.differences([group]).length === 0);
  kube.refuses = ({ subresource }) => (subresource === "status" ? undefined : denied());
  kube.remove(group);
  await scenario.until("the refusal is shown", () => readyOf(scenario)?.reason === "KubernetesForbidden");
  expect(readyOf(scenario)?.message).toMatch(/no changes on Friday\. Change the policy/);
  expect(observeRefusals(process.sources)).toMatchObject([
    { namespace: "team", kind: "Group", step: "removeFinalizer", objects: 1 },
  ]);
  kube.refuses = () => undefined;
  await scenario.until("deleted", () => kube.objects().length === 0);
  expect(process.failures).toEqual([]);
  expect(observeRefusals(process.sources)).toEqual([]);
});

it("a status that Kubernetes rejects as invalid is written with backoff, and the rest of the work is done", async () => {
  const scenario = new Scenario();
  const { kube, process, platform } = scenario;
  let refused = 0;
  kube.refuses = (patch) => {
    if (patch.subresource !== "status") return undefined;
    refused += 1;
    return new KubeError(
      { call: "patch groups/status", code: 422, reason: "Invalid" },
      `Group.iam.muster.dev "payments" is invalid: status.uid: Too long: may not be more than 10 bytes`,
    );
  };
  kube.apply(group);
  await scenario.pass(600_000);
  expect(platform.created()).toHaveLength(1);
  expect(refused).toBeGreaterThan(5);
  expect(refused).toBeLessThanOrEqual(11);
  expect(process.failures).toEqual([]);
  expect(observeRefusals(process.sources)).toEqual([
    {
      namespace: "team",
      kind: "Group",
      step: "writeStatus",
      code: 422,
      objects: 1,
      message: expect.stringContaining("status.uid: Too long"),
    },
  ]);
  kube.refuses = () => undefined;
  await scenario.until("created", () => scenario.differences([group]).length === 0);
});

it("once Kubernetes accepts a step of one object again, it is retried at once for the others of the namespace", async () => {
  const scenario = new Scenario();
  const { kube } = scenario;
  const groups = ["payments", "orders", "refunds"].map((name) => ({ ...group, name }));
  kube.refuses = (patch) => (patch.subresource === "status" ? undefined : forbidden(patch));
  for (const one of groups) kube.apply(one);
  await scenario.pass(900_000);
  kube.refuses = () => undefined;
  kube.annotate("Group", "orders", { [reconcileRequestedAtAnnotation]: "now" });
  await scenario.pass(1_000);
  expect(scenario.differences(groups)).toEqual([]);
});

it("an edit retries at once what Kubernetes refused", async () => {
  const scenario = new Scenario();
  const { kube } = scenario;
  kube.refuses = (patch) => (patch.subresource === "status" ? undefined : forbidden(patch));
  kube.apply(group);
  await scenario.pass(300_000);
  kube.refuses = () => undefined;
  kube.apply({ ...group, spec: { ...group.spec, name: "renamed" } });
  await scenario.pass(1_000);
  expect(scenario.differences([group])).toEqual([]);
});
