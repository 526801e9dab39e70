/** What could be read of a platform's access control, with the caller's permissions. Plain data. */
export interface AccessState {
  readonly groups: readonly KnownGroup[];
  readonly identities: readonly KnownIdentity[];
  readonly roles: readonly KnownRole[];
  readonly bindings: readonly KnownBinding[];
  readonly loginGrants: readonly LoginGrant[];
  /** Whether the caller is an administrator, to whom a list shows everything that exists. */
  readonly seesEverything: boolean;
  /** The uids to which the caller's token is limited; absent if it is not limited. */
  readonly scopes?: readonly string[];
  /** Absent if the token does not say whose it is. */
  readonly caller?: KnownCaller;
}

/** The identity that has read the state. */
export interface KnownCaller {
  /** Its uid. */
  readonly identity: string;
  /** The capabilities to which its token is limited, by dotted names; absent if it is not limited. */
  readonly capabilities?: readonly string[];
}

/**
 * A role that people get when they log in: through an identity provider, at their first login, or with the code of an invite. It
 * applies in the group that is the parent of the uid, and below it.
 */
export type LoginGrant = { readonly uid: string; readonly role: { readonly uid: string; readonly name: string } } & (
  | { readonly through: "identityProvider"; readonly name: string; readonly issuer: string; readonly clientId: string }
  | {
      readonly through: "groupInvite";
      /** By which the platform finds the code. */
      readonly keyId: string;
      /** Empty: of anybody. */
      readonly email: string;
      readonly singleUse: boolean;
      /** RFC 3339. */
      readonly expirationTime?: string;
    }
);

export interface KnownGroup {
  readonly uid: string;
  readonly name: string;
}

export interface KnownRole {
  readonly uid: string;
  readonly name: string;
  /** By the names of the contract, such as `CAP_REPO_CREATE`. */
  readonly capabilities: ReadonlySet<string>;
  /** RFC 3339; absent if the platform did not say. */
  readonly updateTime?: string;
}

/** Grants a role to an identity, in the group that is the parent of the binding's uid and in all groups below it. */
export interface KnownBinding {
  readonly uid: string;
  /** RFC 3339; absent if the platform did not say. */
  readonly createTime?: string;
  readonly identity: { readonly uid: string; readonly name: string };
  readonly role: { readonly uid: string; readonly name: string };
}

export interface KnownIdentity {
  readonly uid: string;
  readonly name: string;
  /** Who logs in as the identity, as the provider vouched at the last login; absent if it is not a person's, or nothing is known. */
  readonly person?: { readonly name?: string; readonly email?: string };
  /** RFC 3339; absent if nobody has assumed the identity yet. */
  readonly lastSeenTime?: string;
  /** Who can assume it: the conditions that a subject token must satisfy, each a name and a value. */
  readonly assumedBy: Assumption;
}

/** How an identity is assumed. */
export interface Assumption {
  /** `unknown` for a method that this version does not know. */
  readonly method: "claimMatch" | "staticKeys" | "awsIdentity" | "unknown";
  /** Such as `issuer` or `claims.repository`, with what it must equal or, if the name ends in `Pattern`, match. */
  readonly conditions: readonly { readonly name: string; readonly value: string }[];
  /** RFC 3339: when the static keys expire. From then on, nobody can use the identity. */
  readonly expirationTime?: string;
}
