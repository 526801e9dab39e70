import { type ClusterReads, userOf } from "#src/commands/reader/cluster-reads.ts";
import type { OperatorPlace } from "#src/commands/reader/operator-place.ts";
import { type Right, rightsText } from "#src/kube/right.ts";
import type { Link } from "./link.ts";

/**
 * Whether the operator's service account has the rights, as far as the caller may ask.
 * @param isOwn whether the caller is that service account, which may always ask about itself
 */
export async function rightsLink(
  cluster: ClusterReads,
  operator: OperatorPlace,
  rights: readonly Right[],
  isOwn = false,
): Promise<Link> {
  const user = userOf(operator);
  const base = { link: "RBAC", subject: user };
  const answers = await Promise.all(rights.map((right) => cluster.can(right, isOwn ? undefined : user)));
  const unknown = answers.find((answer) => answer.state !== "found");
  if (unknown !== undefined)
    return {
      ...base,
      state: "unknown",
      ...(unknown.state === "unknown"
        ? { message: `What the operator may do is unknown to you: ${unknown.because}`, fix: unknown.fix }
        : {
            message: "The API server has no access reviews.",
            fix: { text: "Ask it:", command: `kubectl auth can-i --list --as ${user}` },
          }),
    };
  const missing = rights.filter((_, index) => {
    const answer = answers[index];
    return answer?.state === "found" && !answer.value;
  });
  if (missing.length === 0) return { ...base, state: "ok", message: "It may do what it needs." };
  return {
    ...base,
    state: "problem",
    reason: "KubernetesForbidden",
    message: lacking(missing, rights.length),
    fix: "Restore the ClusterRole of the operator: kubectl apply -k with your overlay, or helm upgrade with your values. If the operator has another service account, give --operator-namespace and --lease-name.",
  };
}

/** Where everything is missing, there is no role or no binding, and a list of it would say no more. */
function lacking(missing: readonly Right[], count: number): string {
  if (missing.length === count && count > 1) return `It lacks all ${count} permissions that it needs.`;
  return `It lacks ${missing.length} of ${count} permissions: ${rightsText(missing)}.`;
}
