import { identityProviders } from "../collections/identity-providers.ts";
import { ancestorsOf, isUid, parentOf } from "../contract/uid.ts";
import type { IdentityProvider } from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { loginLimits } from "../limits/login-limits.ts";
import { type Reader, statement } from "../store/database.ts";
import type { ProviderChoice } from "./login-request.ts";

const ofGroup = statement((db, p: { group: string }) =>
  db
    .selectFrom("identity_providers")
    .select("uid")
    .where("parent", "=", p.group)
    .orderBy("name")
    .orderBy("uid")
    .limit(loginLimits.providers.value),
);

/**
 * The identity providers that a person can choose from; empty if there is none. Those of a group come before those of the
 * groups above it.
 */
export async function providersFor(reader: Reader, { kind, uid }: ProviderChoice): Promise<IdentityProvider[]> {
  if (!isUid(uid)) return [];
  if (kind === "provider") {
    const provider = await identityProviders.find(reader, uid);
    return provider === undefined ? [] : [provider];
  }
  const found: IdentityProvider[] = [];
  for (const group of [...ancestorsOf(uid), uid].toReversed()) {
    for (const row of await reader.all(ofGroup, { group })) {
      const provider = await identityProviders.find(reader, row.uid);
      if (provider !== undefined) found.push(provider);
    }
    if (found.length >= loginLimits.providers.value) break;
  }
  return found.slice(0, loginLimits.providers.value);
}

/** The group whose people a provider lets log in. */
export function groupOf({ uid }: IdentityProvider): string {
  return parentOf(uid) ?? "";
}
