import { apiGroup, version } from "#src/api/custom-resource.ts";
import { identityLabel } from "#src/injection/names.ts";
import { templateKinds } from "#src/injection/template-kinds.ts";

/** What the binding of an admission policy makes of a request that the policy does not accept. */
type Action = "Deny" | "Warn";

/** An admission policy of `deploy/`, as far as it is compared with the one that is installed. A test compares it with `deploy/`. */
export interface ShippedPolicy {
  readonly name: string;
  readonly type: "Validating" | "Mutating";
  /** Why it may be missing; undefined if every installation has it. */
  readonly optional: string | undefined;
  /** What is so without it. */
  readonly without: string;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly groups: readonly string[];
  readonly version: string;
  readonly operations: readonly string[];
  /** With subresources. */
  readonly resources: readonly string[];
  /** A label without which the policy does not look at an object. */
  readonly label?: string;
  /** The kind of its parameters. */
  readonly paramKind?: string;
  /** The names of its conditions. */
  readonly conditions: readonly string[];
  /** How many validations, or mutations, it has. */
  readonly rules: number;
  /** What its bindings do; nothing for one that mutates. */
  readonly actions: readonly Action[];
  /** Its bindings, where it has others than one of its name, which has parameters if the policy has a kind of them. */
  readonly bindings?: readonly ShippedBinding[];
}

/** A binding of a policy. */
export interface ShippedBinding {
  readonly name: string;
  readonly hasParameters: boolean;
}

export function bindingsOf({ name, paramKind, bindings }: ShippedPolicy): readonly ShippedBinding[] {
  return bindings ?? [{ name, hasParameters: paramKind !== undefined }];
}

/** @param kinds the plurals of all kinds of this version */
export function shippedPolicies(kinds: readonly string[]): readonly ShippedPolicy[] {
  const ours = { groups: [apiGroup], version };
  const pods = { groups: [""], version: "v1", resources: ["pods"], label: identityLabel } as const;
  const withTenants = [...kinds, "tenants"];
  const injection = "It is a component of its own, for pods with an identity.";
  const ofStaticPods = "is-not-the-mirror-of-a-static-pod";
  return [
    {
      ...ours,
      name: "muster-reserved",
      type: "Validating",
      optional: undefined,
      without: "RBAC alone does not keep others from writing a status, or from removing a finalizer",
      failurePolicy: "Fail",
      operations: ["CREATE", "UPDATE"],
      resources: [...withTenants, ...withTenants.map((one) => `${one}/status`)],
      conditions: ["is-not-the-operator"],
      rules: 4,
      actions: ["Deny"],
    },
    {
      ...ours,
      name: "muster-operator-writes",
      type: "Validating",
      optional: undefined,
      without: "RBAC alone does not keep the operator from writing a spec",
      failurePolicy: "Fail",
      operations: ["CREATE", "UPDATE"],
      resources: withTenants,
      conditions: ["is-the-operator"],
      rules: 1,
      actions: ["Deny"],
    },
    {
      ...ours,
      name: "muster-public-issuers",
      type: "Validating",
      optional: undefined,
      without: "nobody is warned who applies an Identity that strangers could assume",
      failurePolicy: "Ignore",
      operations: ["CREATE", "UPDATE"],
      resources: ["identities"],
      paramKind: "ConfigMap",
      conditions: ["matches-a-subject-pattern", "changes-the-spec"],
      rules: 1,
      actions: ["Warn"],
      bindings: [
        { name: "muster-public-issuers", hasParameters: false },
        { name: "muster-additional-public-issuers", hasParameters: true },
      ],
    },
    {
      ...ours,
      name: "muster-finalizer",
      type: "Mutating",
      optional: "The operator adds the finalizers itself, with a write for each object.",
      without: "the operator has to add the finalizers itself",
      failurePolicy: "Ignore",
      operations: ["CREATE"],
      resources: kinds,
      conditions: ["does-not-have-the-finalizer"],
      rules: 1,
      actions: [],
    },
    {
      ...pods,
      name: "muster-identity",
      type: "Mutating",
      optional: injection,
      without: "no pod gets its identity",
      failurePolicy: "Fail",
      operations: ["CREATE"],
      paramKind: "Identity",
      conditions: ["is-the-identity-of-the-pod", ofStaticPods],
      rules: 2,
      actions: [],
    },
    {
      ...pods,
      name: "muster-identity-required",
      type: "Validating",
      optional: injection,
      without: "a pod that asks for an identity may start without it",
      failurePolicy: "Fail",
      operations: ["CREATE", "UPDATE"],
      conditions: [ofStaticPods],
      rules: 4,
      actions: ["Deny"],
    },
    {
      ...ours,
      name: "muster-identity-warnings",
      type: "Validating",
      optional: injection,
      without: "nobody is warned of an Identity that no pod can name",
      failurePolicy: "Ignore",
      operations: ["CREATE"],
      resources: ["identities"],
      conditions: [],
      rules: 1,
      actions: ["Warn"],
    },
    {
      name: "muster-identity-misplaced",
      type: "Validating",
      optional: injection,
      without: "nobody is warned of a label on a Deployment, say, whose pods do not have it",
      failurePolicy: "Ignore",
      groups: [...new Set(templateKinds.map(({ group }) => group))],
      version: "v1",
      operations: ["CREATE", "UPDATE"],
      resources: templateKinds.map(({ plural }) => plural),
      label: identityLabel,
      conditions: ["has-the-label"],
      rules: new Set(templateKinds.map(({ path }) => path)).size,
      actions: ["Warn"],
    },
  ];
}
