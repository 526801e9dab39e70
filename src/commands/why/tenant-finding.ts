import { confirmAnnotation } from "#src/api/annotations.ts";
import { readyCondition } from "#src/api/condition.ts";
import { tenantAccount } from "#src/commands/operator/tenant-token.ts";
import { type ClusterReads, userOf } from "#src/commands/reader/cluster-reads.ts";
import { serviceAccountResource } from "#src/kube/service-account.ts";
import type { CachedTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import type { OperatorPlace, OperatorPlaces } from "#src/commands/reader/operator-place.ts";
import { documented, type Finding, findingOf, type Link } from "./link.ts";
import { fixOf } from "./object-link.ts";
import { oneLine } from "#src/telemetry/one-line.ts";

/** The reasons of a Tenant that are about its credential, by the part that fails. */
const credentialParts: Readonly<Record<string, string>> = {
  TokenUnavailable: "credential",
  TokenExchangeFailed: "exchange",
  OwnerMismatch: "owner",
  PlatformUnavailable: "platform",
};

/** What a Tenant's own status says. */
export function tenantLink(tenant: CachedTenant): Link {
  const { invalid, metadata } = tenant;
  const base = { link: "Tenant", subject: `Tenant/${metadata.name}` };
  const ready = readyCondition(tenant);
  if (ready === undefined)
    return {
      ...base,
      state: "problem",
      message:
        invalid === undefined
          ? "No operator has written a status of this Tenant."
          : `The spec is invalid: ${oneLine(invalid)}`,
      fix: {
        text: "Check that an operator of its class runs (spec.class, and the operator's setting --class):",
        command: "muster doctor",
      },
    };
  const [reason, since, message] = [oneLine(ready.reason), oneLine(ready.lastTransitionTime), oneLine(ready.message)];
  return ready.status === "True"
    ? { ...base, state: "ok", reason, since, message }
    : { ...base, state: "problem", reason, since, message, ...fixOf(reason) };
}

/** A Tenant, what it holds back, and its credential: the last one that is wrong is the cause. */
export async function tenantFinding(
  tenant: CachedTenant,
  { cluster, operatorOf }: { readonly cluster: ClusterReads; readonly operatorOf: OperatorPlaces },
): Promise<Finding> {
  const own = findingOf(tenantLink(tenant));
  const held = breakerLinks(tenant);
  const part = await credentialLink(tenant, own.links[0]?.reason, cluster, operatorOf(tenant.class));
  const further = [...held, part];
  const problems = further.filter(({ state }) => state === "problem");
  return { links: [...own.links, ...further], causes: problems.length > 0 ? problems : own.causes };
}

/** The breakers of a Tenant, which a person confirms. */
function breakerLinks({ metadata, status }: CachedTenant): readonly Link[] {
  return (status?.breakers ?? []).map(({ id, kind, missing }) => ({
    link: "breaker",
    subject: `Tenant/${metadata.name} ${oneLine(kind)}`,
    state: "problem",
    reason: "HeldByBreaker",
    message: `${missing} resources disappeared at once, and are not re-created until a person confirms it.`,
    fix: {
      text: "Find out why they disappeared. To have them re-created:",
      command: `kubectl annotate tenants.iam.muster.dev ${metadata.name} --overwrite ${confirmAnnotation}=${oneLine(id)}`,
    },
  }));
}

/** With what the Tenant calls the platform, and whether that works, as the Tenant's reason says. */
async function credentialLink(
  tenant: CachedTenant,
  reason: string | undefined,
  cluster: ClusterReads,
  operator: OperatorPlace,
): Promise<Link> {
  const { identityUid, metadata, spec } = tenant;
  const isOwn = spec?.credentials.type === "ServiceAccount";
  const account = { namespace: operator.namespace, name: isOwn ? tenantAccount(metadata.name) : operator.name };
  const subject = isOwn ? userOf(account) : "the operator's own identity";
  const part = reason === undefined ? undefined : credentialParts[reason];
  const base = { link: part ?? "credential", subject };
  if (isOwn && part !== undefined) {
    const found = await cluster.get(serviceAccountResource, account.namespace, account.name);
    if (found.state === "absent")
      return {
        ...base,
        state: "problem",
        reason: "TokenUnavailable",
        message: `The service account ${account.name} does not exist in namespace ${account.namespace}.`,
        fix: {
          text: "Apply deploy/kustomize/tenant-token, with which the operator may request its tokens, and create the account:",
          command: `kubectl -n ${account.namespace} create serviceaccount ${account.name}`,
        },
      };
    const right = { verb: "create", group: "", resource: "serviceaccounts", subresource: "token", ...account };
    const may = await cluster.can(right, userOf(operator));
    if (may.state === "found" && !may.value)
      return {
        ...base,
        state: "problem",
        reason: "TokenUnavailable",
        message: `${userOf(operator)} may not create tokens of the service account ${account.name}.`,
        fix: "Apply deploy/kustomize/tenant-token with the name of this service account.",
      };
  }
  if (part !== undefined && reason !== undefined)
    return {
      ...base,
      state: "problem",
      reason,
      message: credentialMessage(reason, userOf(account), identityUid),
      ...fixOf(reason),
    };
  return readyCondition(tenant)?.status === "True"
    ? { ...base, state: "ok", message: "Its calls succeed, as the Tenant says." }
    : {
        ...base,
        state: "unknown",
        message: "The Tenant does not say whether its calls succeed.",
        fix: "Ask again in a minute. If it lasts, find out whether an operator leads: muster doctor.",
      };
}

function credentialMessage(reason: string, subject: string, identity: string | undefined): string {
  const meaning = documented(reason)?.meaning ?? reason;
  if (reason !== "TokenExchangeFailed") return meaning;
  return `${meaning} The subject of the token is ${subject}${identity === undefined ? "" : `, and the identity is ${oneLine(identity)}`}.`;
}
