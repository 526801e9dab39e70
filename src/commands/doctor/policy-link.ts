import type { ClusterReads, Reading } from "#src/commands/reader/cluster-reads.ts";
import { withClass } from "#src/commands/reader/operator-place.ts";
import type { Link } from "#src/commands/why/link.ts";
import type { KubeObject, ResourceKind } from "#src/kube/object.ts";
import { bindingFlaws, type InstalledBinding, type InstalledPolicy, policyFlaws } from "./policy-flaws.ts";
import { bindingsOf, type ShippedPolicy } from "./shipped-policies.ts";

function admission(kind: string): ResourceKind {
  const plural = kind.toLowerCase().replace(/y$/, "ie");
  return { group: "admissionregistration.k8s.io", version: "v1", plural: `${plural}s`, kind };
}

/** What was found of a policy. */
export interface CheckedPolicy {
  readonly link: Link;
  /** The name of the policy, with the class of the operator or without; undefined if it is not there, or need not be. */
  readonly installed: string | undefined;
}

/**
 * Whether an admission policy and its binding are installed, and do what the shipped ones do. They are about every operator of the
 * cluster, so that those without the class in their names are as good.
 * @param all the policies that are checked: the fix of a refusal permits to read each of them
 */
export async function checkPolicy(
  cluster: ClusterReads,
  shipped: ShippedPolicy,
  all: readonly ShippedPolicy[],
  operatorClass: string,
): Promise<CheckedPolicy> {
  const alike = all
    .filter(({ type }) => type === shipped.type)
    .flatMap(({ name }) => [...new Set([withClass(name, operatorClass), name])]);
  const read = async <T extends KubeObject>(kind: string, name: string) => ({
    name,
    reading: await cluster.get<T>(admission(kind), undefined, name, alike),
  });
  const policyKind = `${shipped.type}AdmissionPolicy`;
  const own = await read<InstalledPolicy>(policyKind, withClass(shipped.name, operatorClass));
  const both = [own, ...(own.name === shipped.name ? [] : [await read<InstalledPolicy>(policyKind, shipped.name)])];
  // One that cannot be read may be there.
  const isThere = (state: Reading<unknown>["state"]) => both.find(({ reading }) => reading.state === state);
  const { name, reading } = isThere("found") ?? isThere("unknown") ?? own;
  const base = { link: "policy", subject: name };
  if (reading.state === "unknown")
    return {
      link: { ...base, ...unreadable("It", reading) },
      installed: shipped.optional === undefined ? name : undefined,
    };
  if (reading.state === "absent")
    return {
      link:
        shipped.optional === undefined
          ? { ...base, ...problem(shipped, "It is not installed") }
          : { ...base, state: "ok", message: `It is not installed, and need not be. ${shipped.optional}` },
      installed: undefined,
    };
  const flaws = [...policyFlaws(shipped, reading.value)];
  for (const one of bindingsOf(shipped)) {
    const bindingName = name === shipped.name ? one.name : withClass(one.name, operatorClass);
    const binding = (await read<InstalledBinding>(`${policyKind}Binding`, bindingName)).reading;
    if (binding.state === "unknown")
      return { link: { ...base, ...unreadable("Its binding", binding) }, installed: name };
    flaws.push(
      ...(binding.state === "absent"
        ? [`it has no binding ${bindingName}`]
        : bindingFlaws(shipped, one, name, binding.value)),
    );
  }
  const link: Link =
    flaws.length === 0
      ? { ...base, state: "ok", message: "It is bound, and covers every kind of this muster." }
      : { ...base, ...problem(shipped, `It differs from the one of this muster: ${flaws.join("; ")}`) };
  return { link, installed: name };
}

function unreadable(what: string, { because, fix }: Extract<Reading<unknown>, { state: "unknown" }>) {
  return { state: "unknown", message: `${what} cannot be read: ${because}`, fix } as const;
}

/** @param what is wrong, a sentence without its full stop */
function problem({ type, without }: ShippedPolicy, what: string) {
  const version = type === "Validating" ? "1.30" : "1.36";
  return {
    state: "problem",
    message: `${what}. Without it, ${without}.`,
    fix: `Apply your overlay of deploy/kustomize again, or helm upgrade with your values. It needs Kubernetes ${version}.`,
  } as const;
}
