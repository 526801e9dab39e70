import type { Generated } from "kysely";

/** The columns of every table of resources. `body` is authoritative; the other columns are copies to search by. */
export interface ResourceColumns {
  uid: string;
  /** The uid of the parent; null for a root. */
  parent: string | null;
  /** Empty where the resource has no name. */
  name: string;
  /** Milliseconds since the epoch. */
  create_time: number;
  update_time: number;
  /** The resource as a protobuf message of the contract. */
  body: Uint8Array;
}

interface IdentityColumns extends ResourceColumns {
  /** A `RelationshipType` of the contract. */
  relationship: number;
  /** The literal issuer and subject; null if the identity has a pattern instead. */
  issuer: string | null;
  subject: string | null;
  /** The person whom the identity is for (`collections/person-key.ts`); null if it is not for exactly one. */
  person: string | null;
  /** What a person is searched by (`collections/searched-person.ts`); null without a name or an e-mail address. */
  person_name: string | null;
  person_email: string | null;
  /** When the static keys of the identity expire, in milliseconds since the epoch; null if they do not. */
  expires: number | null;
}

interface RoleBindingColumns extends ResourceColumns {
  identity_uid: string;
  role_uid: string;
}

interface IdentityProviderColumns extends ResourceColumns {
  /** The uid of the role that users get when they log in. */
  default_role: string;
}

interface GroupInviteColumns extends ResourceColumns {
  role_uid: string;
  /** Milliseconds since the epoch. */
  expires: number;
  key_id: string;
  /** SHA-256 of the code, in hex. */
  code_hash: string;
}

interface TagColumns extends ResourceColumns {
  digest: string;
  /** The forms of the name, as bits (`collections/tag-form.ts`). */
  form: number;
}

interface AdvisoryColumns extends ResourceColumns {
  advisory_id: string;
  legacy_advisory_id: string | null;
  artifact_name: string;
  artifact_type: string;
  artifact_architecture: string;
  component_name: string;
  component_type: string;
  component_location: string;
  /** One bit for each `EventTypeFilter` that one of its events has. */
  event_types: number;
  /** The `EventTypeFilter` of its latest event; 0 if it has no event. */
  latest_event_type: number;
  /** The text that free-text queries search, in lower case. */
  search_text: string;
}

/** The number of resources in a part of the tree. The transaction that changes a resource updates it. */
interface TreeCountColumns {
  /** A uid; empty for the whole platform. */
  scope: string;
  /**
   * The counted table, or `table/partition`; `resources` for all tables together; `bindings` for the role bindings of the
   * identity that is the scope.
   */
  kind: string;
  children: number;
  descendants: number;
  /** How many descendants there may be; null without a limit. */
  maximum: number | null;
}

interface AuditLogColumns {
  /** Increases in the order in which changes were committed. */
  sequence: Generated<number>;
  /** Milliseconds since the epoch. */
  time: number;
  /** The author in the form that `--actor` takes. */
  actor: string;
  /** An `Author` as JSON. */
  author: string;
  action: string;
  type: string;
  uid: string;
  /** Old and new values by field, as JSON, without secrets. */
  fields: string;
  /** The uid of the root group of the resource; empty if there is no resource. */
  root: string;
  /** The method of the contract; empty outside of a call. */
  method: string;
  /** The gRPC code of the call. */
  code: number;
  /** A `RecordForm`. */
  form: string;
  /** How many changes the record stands for. */
  change_count: number;
  /** The time of the first of them, in milliseconds since the epoch. */
  first_time: number;
  /** `RecordDetails` as JSON, or empty. */
  details: string;
}

export interface Tables {
  groups: ResourceColumns;
  identities: IdentityColumns;
  roles: ResourceColumns;
  role_bindings: RoleBindingColumns;
  identity_providers: IdentityProviderColumns;
  account_associations: ResourceColumns;
  group_invites: GroupInviteColumns;
  repos: ResourceColumns;
  tags: TagColumns;
  advisories: AdvisoryColumns;
  /** The aliases of advisories. Filters find an advisory by its aliases too. */
  advisory_aliases: { alias: string; advisory_uid: string };
  tree_counts: TreeCountColumns;
  audit_log: AuditLogColumns;
  /** How much was taken in a day of what is shared out by day. */
  daily_shares: {
    /** Of the bytes of the audit log, the uid of the root group, or nothing for admins; of all else, what it is, and whose. */
    owner: string;
    /** Days since the epoch (UTC). */
    day: number;
    used: number;
  };
  /** The creator bindings: each was created with a root group and is deleted with it. The creator is the identity that the group counts for. */
  founding_bindings: { group_uid: string; binding_uid: string; creator: string };
  /** Single values, such as the uid of the first root group. */
  facts: { name: string; value: string };
  admin_tokens: {
    /** SHA-256 of the token, in hex. */
    hash: string;
    create_time: number;
    /** The named admin; null for the token that is for emergencies. No two rows have the same name. */
    name: string | null;
    /** Milliseconds since the epoch; null if it does not expire. */
    expires: number | null;
  };
  /** One family for each token exchange: the refresh tokens that descend from it. */
  refresh_families: {
    /** When it expires, in milliseconds since the epoch (12 digits in hex), and 24 random digits: rows are in the order in which they expire. */
    id: string;
    identity_uid: string;
    /** SHA-256, in base64url, of the only refresh token of the family that is unused. */
    token_hash: string;
    /** The audiences, downscoping and actor of its API tokens, as JSON. */
    content: string;
  };
  /** The security stamps that were replaced. */
  security_stamps: {
    identity_uid: string;
    /** The identity's API tokens that do not contain it are not valid. */
    stamp: string;
  };
  signing_keys: {
    kid: string;
    create_time: number;
    /** A JWK. */
    public_key: string;
    /** A JWK, sealed with the master key. */
    private_key: Uint8Array;
  };
  /** Subject tokens that are accepted once. */
  used_tokens: {
    /** SHA-256 of what identifies the token, in base64url. */
    digest: string;
    /** Milliseconds since the epoch. */
    expires: number;
  };
  /** Authorization codes, and the codes of devices, of logins that are not complete. */
  login_codes: {
    /** SHA-256 of the code, in base64url. */
    hash: string;
    /** SHA-256 of the code that a person types for a device, in base64url; null for an authorization code. */
    user_code_hash: string | null;
    /** The address of the client that the code was created for. */
    address: string;
    /** Milliseconds since the epoch. */
    expires: number;
    /** `pending`, `approved`, `denied` or `used`. */
    state: string;
    /** When a device may ask for its token again, in milliseconds since the epoch. */
    next_poll: number;
    /** What the code is for, as JSON. */
    content: string;
  };
}

/** The tables that hold resources of the contract. */
export type ResourceTable = {
  [T in keyof Tables]: Tables[T] extends ResourceColumns ? T : never;
}[keyof Tables];
