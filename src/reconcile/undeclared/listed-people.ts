import type { ExternalIdentity } from "#src/kinds/identity.ts";
import { canonicalIssuer } from "#src/kinds/same-issuer.ts";
import {
  type ExternalIdentityProvider,
  identityProviders,
  listIdentityProviders,
} from "#src/platform-client/identity-providers.ts";
import type { Peek } from "#src/platform-client/session-lists.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { isWithin, parentOf } from "#src/platform-client/uid.ts";
import { ancestorsOf, ancestorsOfAll } from "./ancestors.ts";

/** The identity providers that a session can see: whoever logs in through one is a person, and nobody declares people. */
export interface People {
  /** Whether every provider in the group and above is known. */
  isKnown(group: string): boolean;
  /** Whether a provider with this uid was listed, and it lets in the people of `issuer`. */
  hasProvider(uid: string, issuer: string): boolean;
  /** Whether a provider of the identity's group, or above, may vouch for the identity. */
  isPerson(identity: ExternalIdentity): boolean;
}

/**
 * Lists the identity providers below the session's roots, and in the groups above them.
 * @returns what was listed, once it is confirmed (`Peek`). Groups whose list fails, or is not permitted, are not known.
 */
export async function listPeople(session: PlatformSession): Promise<() => Promise<People>> {
  const peeks = new Map<string, Peek<ExternalIdentityProvider>>();
  const scopes = [
    ...session.roots.map((root) => [root, { descendantsOf: root }] as const),
    ...ancestorsOfAll(session.roots).map((group) => [group, { childrenOf: group }] as const),
  ];
  for (const [group, scope] of scopes)
    try {
      peeks.set(group, await session.peek(identityProviders, listIdentityProviders, scope));
    } catch {}
  return async () => {
    const issuers = new Map<string, Set<string>>();
    const known = new Set<string>();
    const providers = new Map<string, string>();
    for (const [group, confirm] of peeks) {
      const found = await confirm().catch(() => undefined);
      if (found === undefined) continue;
      known.add(group);
      for (const provider of found) {
        addIssuer(issuers, provider);
        providers.set(provider.uid, issuerOf(provider));
      }
    }
    return peopleOf(session, issuers, known, providers);
  };
}

/**
 * @param known the groups whose providers were listed.
 * @param providers the issuers, canonical, by the uids of the providers.
 */
function peopleOf(
  { roots }: PlatformSession,
  issuers: ReadonlyMap<string, ReadonlySet<string>>,
  known: ReadonlySet<string>,
  providers: ReadonlyMap<string, string>,
): People {
  return {
    hasProvider: (uid, issuer) => providers.get(uid) === canonicalIssuer(issuer),
    isKnown: (group) =>
      roots.some(
        (root) => isWithin(group, root) && known.has(root) && ancestorsOf(root).every((above) => known.has(above)),
      ),
    isPerson: (identity) => {
      const group = parentOf(identity.uid);
      if (group === undefined) return true;
      const above = [group, ...ancestorsOf(group)].flatMap((one) => [...(issuers.get(one) ?? [])]);
      return above.length > 0 && mayComeFrom(identity, above);
    },
  };
}

function addIssuer(issuers: Map<string, Set<string>>, provider: ExternalIdentityProvider): void {
  const group = parentOf(provider.uid) ?? "";
  const known = issuers.get(group) ?? new Set();
  known.add(issuerOf(provider));
  issuers.set(group, known);
}

/** A pattern may match anything. The audience is not compared: platforms differ in which one people get. */
function mayComeFrom({ claimMatch, staticKeys }: ExternalIdentity, issuers: readonly string[]): boolean {
  if (claimMatch?.issuerPattern !== undefined && claimMatch.issuerPattern !== "") return true;
  const issuer = claimMatch?.issuer ?? staticKeys?.issuer;
  return issuer !== undefined && issuers.includes(canonicalIssuer(issuer));
}

function issuerOf({ oidc }: ExternalIdentityProvider): string {
  return canonicalIssuer(oidc?.issuer ?? "");
}
