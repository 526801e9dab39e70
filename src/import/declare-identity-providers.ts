import type { Fields } from "#src/kinds/fields.ts";
import { identityProviderKind } from "#src/kinds/identity-provider.ts";
import type { ExternalIdentityProvider } from "#src/platform-client/identity-providers.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { declarableFields } from "./declarable-fields.ts";
import type { Declarations } from "./declarations.ts";
import { declaredElsewhere, declareResource } from "./declare-resource.ts";
import type { ExistingTree } from "./existing-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import { isNamed, type RoleReference, type TenantLimits } from "./tenant-limits.ts";

/** The key of the client secret in its Secret: the default of the schema. */
const key = "clientSecret";
const { specSchema } = identityProviderKind.definition;

/** A provider that a manifest can describe. */
export interface DeclarableProvider {
  readonly provider: ExternalIdentityProvider & { readonly oidc: OidcSettings };
  /** The role that everybody gets at the first login. */
  readonly role: RoleReference;
}

type OidcSettings = NonNullable<ExternalIdentityProvider["oidc"]>;

/** The providers of a tree that objects can declare, ordered by uid. The others are left out, and need nothing of the Tenant. */
export function findProviders(
  { identityProviders, roles, rolesElsewhere }: ExistingTree,
  declarations: Declarations,
  { owners }: ImportOptions,
): readonly DeclarableProvider[] {
  const names = new Map([...roles, ...rolesElsewhere].map((role) => [role.uid, role.name]));
  const found: DeclarableProvider[] = [];
  for (const { oidc, ...rest } of identityProviders.toSorted((one, other) => (one.uid < other.uid ? -1 : 1))) {
    const role = { uid: rest.defaultRole, name: names.get(rest.defaultRole) ?? "" };
    const declared = declaredElsewhere(identityProviderKind, rest, declarations, owners);
    if (declared !== undefined) leaveOut(rest, declared, declarations);
    else if (oidc === undefined) leaveOut(rest, "it has no OpenID settings", declarations);
    else {
      const declarable = { provider: { ...rest, oidc }, role };
      const mistake = mistakeIn(declarable);
      if (mistake === undefined) found.push(declarable);
      else leaveOut(rest, `no manifest can have this: ${mistake}`, declarations);
    }
  }
  return found;
}

function mistakeIn(found: DeclarableProvider): string | undefined {
  // The issuer is in a command that people copy from a comment, which such a character could end.
  if (/[\p{C}\p{Z}]/v.test(found.provider.oidc.issuer)) return "spec.issuer: contains a character that cannot be seen";
  const base = { groupUid: parentOf(found.provider.uid), clientSecretRef: { name: "any" }, ...loginOf(found) };
  const valid = declarableFields(specSchema, base, {});
  return "mistake" in valid ? valid.mistake : undefined;
}

/**
 * Declares identity providers. The platform never returns a client secret: the object names a Secret that a person makes, unless the
 * provider is known to have none.
 */
export function declareIdentityProviders(
  providers: readonly DeclarableProvider[],
  limits: TenantLimits,
  declarations: Declarations,
  options: ImportOptions,
): void {
  for (const found of providers) {
    const { provider, role } = found;
    const { uid, oidc } = provider;
    const denial = limits.denialOfProvider(oidc.issuer, role);
    if (denial !== undefined) {
      leaveOut(provider, denial, declarations);
      continue;
    }
    const hasSecret = !options.withoutSecret.includes(uid);
    const name = declareResource(
      {
        kind: identityProviderKind,
        resource: provider,
        // How people log in is compared as a whole: nothing of it can be left out.
        base: (object) => ({ ...loginOf(found), ...(hasSecret ? { clientSecretRef: { name: object } } : {}) }),
      },
      declarations,
      options,
    );
    if (name !== undefined && hasSecret)
      declarations.needSecret(uid, { name, key, namespace: declarations.namespace, issuer: oidc.issuer });
  }
}

function leaveOut(
  { uid, name }: Pick<ExternalIdentityProvider, "uid" | "name">,
  reason: string,
  declarations: Declarations,
): void {
  declarations.except({ noun: identityProviderKind.noun, uid, name, outcome: "left out", reason });
}

/** How people log in, and what they get, without what the schema has by default. */
function loginOf({ provider: { oidc }, role }: DeclarableProvider): Fields {
  const { issuer, clientId, additionalScopes, groupsClaim, pkceEnabled } = oidc;
  return {
    issuer,
    clientId,
    ...(isNamed(role) ? { defaultRoleRef: { name: role.name } } : { defaultRoleUid: role.uid }),
    ...(additionalScopes.length === 0 ? {} : { additionalScopes }),
    ...(groupsClaim === "" ? {} : { groupsClaim }),
    ...(pkceEnabled ? {} : { pkceEnabled }),
  };
}
