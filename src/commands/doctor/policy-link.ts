import { apiGroup } from "#src/api/custom-resource.ts";
import type { ClusterReads } from "#src/commands/reader/cluster-reads.ts";
import type { Link } from "#src/commands/why/link.ts";
import { withClass } from "#src/commands/reader/operator-place.ts";
import type { KubeObject, ResourceKind } from "#src/kube/object.ts";

const policies: ResourceKind = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  plural: "validatingadmissionpolicies",
  kind: "ValidatingAdmissionPolicy",
  namespaced: false,
};

/** The admission policies that keep what only the operator writes from others, and the operator from writing more. */
export const policyNames = ["muster-reserved", "muster-operator-writes"] as const;

interface Policy extends KubeObject {
  readonly spec?: {
    readonly matchConstraints?: {
      readonly resourceRules?: readonly {
        readonly apiGroups?: readonly string[];
        readonly resources?: readonly string[];
      }[];
    };
  };
}

/**
 * Whether an admission policy is installed, and covers every kind. It is about every operator of the cluster, so that one without the
 * class in its name is as good.
 * @param plurals of all kinds of this version
 */
export async function policyLink(
  cluster: ClusterReads,
  policy: string,
  plurals: readonly string[],
  operatorClass: string,
): Promise<Link> {
  const alike = [...new Set(policyNames.flatMap((name) => [withClass(name, operatorClass), name]))];
  const readPolicy = async (name: string) => ({
    name,
    read: await cluster.get<Policy>(policies, undefined, name, alike),
  });
  const own = await readPolicy(withClass(policy, operatorClass));
  const general = own.name === policy ? own : await readPolicy(policy);
  const both = [own, general];
  // One that cannot be read may be there.
  const isThere = both.find(({ read }) => read.state === "found") ?? both.find(({ read }) => read.state === "unknown");
  const { name, read } = isThere ?? own;
  const base = { link: "policy", subject: name };
  const fix =
    "Apply your overlay of deploy/kustomize again, or helm upgrade with your values. It needs Kubernetes 1.30.";
  if (read.state === "unknown")
    return { ...base, state: "unknown", message: `It cannot be read: ${read.because}`, fix: read.fix };
  if (read.state === "absent")
    return {
      ...base,
      state: "problem",
      message:
        "The admission policy is not installed: RBAC alone does not keep others from writing a status, or the operator from writing a spec.",
      fix,
    };
  const rules = read.value.spec?.matchConstraints?.resourceRules ?? [];
  const covered = new Set(
    rules.flatMap(({ apiGroups = [], resources = [] }) => (apiGroups.includes(apiGroup) ? resources : [])),
  );
  const missing = plurals.filter((plural) => !covered.has(plural) && !covered.has("*"));
  return missing.length === 0
    ? { ...base, state: "ok", message: "The admission policy covers every kind of this muster." }
    : {
        ...base,
        state: "problem",
        message: `The admission policy does not cover ${missing.join(", ")}: it is of another version.`,
        fix,
      };
}
