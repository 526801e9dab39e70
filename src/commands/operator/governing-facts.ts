import { ownerHash } from "#src/kinds/marker.ts";
import type { UploadedKeys } from "#src/kinds/uploaded-keys.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { BreakerLimits } from "#src/reconcile/policy/breaker.ts";
import type { OuterBound } from "#src/reconcile/tenancy/boundary.ts";
import type { Cluster } from "./cluster.ts";
import type { OperatorValues } from "./settings.ts";

/** The settings of the operator that its decisions depend on. */
export type GoverningValues = Pick<
  OperatorValues,
  | "platformUrl"
  | "authUrl"
  | "rootGroup"
  | "allowedRole"
  | "allowedNamespace"
  | "class"
  | "previousOwnerId"
  | "serviceAccountAudience"
  | "publicIssuer"
  | "breakerObjects"
>;

/** The share of a kind's resources that must disappear at once, in addition to `--breaker-objects`. */
const breakerShare = 0.1;

/**
 * What the settings and the cluster say about every decision, whoever makes it.
 * @param uploaded returns the keys that the operator writes into identities; undefined if the platform discovers them.
 */
export function governingFacts(
  { platformUrl, authUrl = platformUrl, serviceAccountAudience, publicIssuer, ...values }: GoverningValues,
  { ownerId, serviceAccountIssuer: issuer }: Cluster,
  uploaded: () => UploadedKeys | undefined,
): Pick<Sources, "ownerId" | "owners" | "serviceAccounts" | "publicIssuers" | "endpoints"> {
  return {
    ownerId,
    owners: [ownerHash(ownerId, values.class), ...values.previousOwnerId.map((id) => ownerHash(id, values.class))],
    serviceAccounts: {
      issuer,
      audience: serviceAccountAudience ?? authUrl.hostname,
      get uploaded() {
        return uploaded();
      },
    },
    publicIssuers: publicIssuer,
    endpoints: {
      authUrl: withoutSlash(authUrl),
      platformUrl: withoutSlash(platformUrl),
      defaultAudience: authUrl.hostname,
    },
  };
}

export function outerBoundOf({
  rootGroup,
  allowedRole,
  allowedNamespace,
}: Pick<OperatorValues, "rootGroup" | "allowedRole" | "allowedNamespace">): OuterBound {
  return {
    roots: rootGroup,
    roles: allowedRole,
    namespaces: allowedNamespace.length === 0 ? null : allowedNamespace,
  };
}

export function breakerLimitsOf({ breakerObjects }: Pick<OperatorValues, "breakerObjects">): BreakerLimits {
  return { objects: breakerObjects, share: breakerShare };
}

/** The address as the token service compares it with an audience. */
function withoutSlash({ href }: URL): string {
  return href.replace(/\/$/, "");
}
