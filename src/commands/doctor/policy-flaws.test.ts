import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { KubeObject } from "#src/kube/object.ts";
import { DoctorWorld, policiesIn, putPolicies, refusesAll } from "./doctor-world.testing.ts";

let world: DoctorWorld;
beforeAll(async () => {
  world = await DoctorWorld.start();
});
afterAll(() => world.stop());
beforeEach(() => world.reset());

const optional = ["admission-policy", "pod-injection"].flatMap((one) => policiesIn(`components/${one}`));

type Changed = Record<string, unknown>;

/** Installs all policies, one of whose objects is changed. @param kind the kind of the object, without AdmissionPolicy */
function install(kind: string, name: string, change: (spec: Changed) => void): void {
  const all = structuredClone([...policiesIn("base"), ...optional]);
  const one = all.find((object) => object.kind === kind && object.metadata.name === name) as KubeObject & {
    readonly spec: Changed;
  };
  change(one.spec);
  putPolicies(world.cluster, all);
}

const validating = "ValidatingAdmissionPolicy";
const mutating = "MutatingAdmissionPolicy";
const selector = { matchLabels: { a: "b" } };

it.each<[what: string, kind: string, name: string, change: (spec: Changed) => void, message: string]>([
  [
    "ignores failures",
    validating,
    "muster-reserved",
    (spec) => (spec["failurePolicy"] = "Ignore"),
    "spec.failurePolicy is not Fail.",
  ],
  [
    "does not look at updates",
    validating,
    "muster-operator-writes",
    ({ matchConstraints }) =>
      Object.assign((matchConstraints as { resourceRules: object[] }).resourceRules[0]!, { operations: ["CREATE"] }),
    "spec.matchConstraints does not cover CREATE and UPDATE of groups,",
  ],
  [
    "looks at some names only",
    validating,
    "muster-reserved",
    ({ matchConstraints }) =>
      Object.assign((matchConstraints as { resourceRules: object[] }).resourceRules[0]!, { resourceNames: ["a"] }),
    "spec.matchConstraints does not cover",
  ],
  [
    "exempts namespaces",
    validating,
    "muster-reserved",
    ({ matchConstraints }) => Object.assign(matchConstraints as object, { namespaceSelector: selector }),
    "spec.matchConstraints has a namespaceSelector",
  ],
  [
    "exempts objects",
    validating,
    "muster-reserved",
    ({ matchConstraints }) => Object.assign(matchConstraints as object, { objectSelector: selector }),
    "spec.matchConstraints has another objectSelector",
  ],
  [
    "exempts requests",
    validating,
    "muster-reserved",
    ({ matchConstraints }) => Object.assign(matchConstraints as object, { excludeResourceRules: [{}] }),
    "spec.matchConstraints has excludeResourceRules",
  ],
  [
    "has one more condition",
    validating,
    "muster-reserved",
    ({ matchConditions }) => (matchConditions as object[]).push({ name: "is-not-ana", expression: "false" }),
    "spec.matchConditions has is-not-ana",
  ],
  [
    "has no validations",
    validating,
    "muster-reserved",
    (spec) => (spec["validations"] = []),
    "spec.validations has fewer than 4",
  ],
  [
    "mutates nothing",
    mutating,
    "muster-identity",
    (spec) => (spec["mutations"] = []),
    "spec.mutations has fewer than 2",
  ],
  [
    "looks at pods with another label",
    validating,
    "muster-identity-required",
    ({ matchConstraints }) => Object.assign(matchConstraints as object, { objectSelector: {} }),
    "spec.matchConstraints has another objectSelector",
  ],
  [
    "has other parameters",
    mutating,
    "muster-identity",
    (spec) => delete spec["paramKind"],
    "spec.paramKind is not Identity",
  ],
  [
    "is bound to another policy",
    `${validating}Binding`,
    "muster-reserved",
    (spec) => (spec["policyName"] = "other"),
    "spec.policyName of its binding",
  ],
  [
    "is bound to warn",
    `${validating}Binding`,
    "muster-operator-writes",
    (spec) => (spec["validationActions"] = ["Warn", "Audit"]),
    "spec.validationActions of its binding lacks Deny.",
  ],
  [
    "is bound for some namespaces",
    `${validating}Binding`,
    "muster-reserved",
    (spec) => (spec["matchResources"] = { namespaceSelector: selector }),
    "spec.matchResources of its binding has a namespaceSelector",
  ],
  [
    "is bound for some requests",
    `${validating}Binding`,
    "muster-reserved",
    (spec) => (spec["matchResources"] = { resourceRules: [{}] }),
    "spec.matchResources.resourceRules of its binding limits it",
  ],
  [
    "is bound without parameters",
    `${mutating}Binding`,
    "muster-identity",
    (spec) => delete spec["paramRef"],
    "spec.paramRef of its binding is missing",
  ],
  [
    "is bound with parameters, without which it warns of what the list has",
    `${validating}Binding`,
    "muster-public-issuers",
    (spec) => (spec["paramRef"] = {}),
    "spec.paramRef of its binding must be absent",
  ],
])("reports a policy that %s", async (_, kind, name, change, message) => {
  install(kind, name, change);
  world.cluster.accepts = (request, object) => addFinalizer(request, object);
  expect(await world.failures()).toMatchObject([
    {
      link: "policy",
      subject: name,
      state: "problem",
      message: expect.stringContaining(message),
      fix: expect.stringContaining("deploy/kustomize"),
    },
  ]);
});

it.each([
  ["validatingadmissionpolicybindings", "muster-reserved", "muster-reserved"],
  ["validatingadmissionpolicybindings", "muster-public-issuers", "muster-public-issuers"],
  ["validatingadmissionpolicybindings", "muster-additional-public-issuers", "muster-public-issuers"],
  ["mutatingadmissionpolicybindings", "muster-finalizer", "muster-finalizer"],
])("reports a missing binding: %s/%s", async (plural, binding, name) => {
  putPolicies(world.cluster, optional);
  world.cluster.accepts = (request, object) => addFinalizer(request, object);
  world.cluster.remove(plural, binding);
  expect(await world.failures()).toMatchObject([
    {
      link: "policy",
      subject: name,
      state: "problem",
      message: expect.stringContaining(`it has no binding ${binding}`),
    },
  ]);
});

it.each([
  ["muster-reserved", "a forged status of Tenant shop was accepted"],
  ["muster-operator-writes", "a label that the operator puts on Tenant shop was accepted"],
  ["muster-identity-required", "a pod in namespace default whose Identity does not exist was accepted"],
])("reports that %s does not act, by a request that is not carried out", async (name, message) => {
  putPolicies(world.cluster, policiesIn("components/pod-injection"));
  world.cluster.refuses = (request, asUser) => {
    const refusal = refusesAll(request, asUser);
    return refusal?.includes(`'${name}'`) === true ? undefined : refusal;
  };
  expect(await world.failures()).toMatchObject([
    {
      link: "dry run",
      subject: name,
      state: "problem",
      message: expect.stringContaining(message),
      fix: expect.stringContaining("Wait a minute"),
    },
  ]);
});

it("reports that no finalizer is added", async () => {
  putPolicies(world.cluster, policiesIn("components/admission-policy"));
  expect(await world.failures()).toMatchObject([
    {
      link: "dry run",
      subject: "muster-finalizer",
      state: "problem",
      message: expect.stringContaining("a new Group in namespace default"),
    },
  ]);
});

it("concludes nothing from a request that is refused for another reason, and says who may try it", async () => {
  world.cluster.refuses = () => 'users "x" is forbidden: User "ana@example.com" cannot impersonate resource';
  const found = await world.failures();
  expect(found).toMatchObject([
    {
      link: "dry run",
      subject: "muster-reserved",
      state: "unknown",
      fix: expect.stringContaining("may patch tenants.iam.muster.dev/status, to run: muster doctor"),
    },
    {
      link: "dry run",
      subject: "muster-operator-writes",
      state: "unknown",
      fix: expect.stringContaining(
        "impersonate the service account system:serviceaccount:muster-system:muster-operator",
      ),
    },
  ]);
});

/** What a policy makes of a request. */
function addFinalizer(request: string, object: KubeObject): KubeObject {
  if (!request.endsWith("/groups")) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: ["iam.muster.dev/external"] } };
}
