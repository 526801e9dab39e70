import type { Generated } from "kysely";

/** What every table of resources has. The message is the truth; the columns beside it are what is searched by. */
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
  /** Literal issuer and subject; null where a pattern stands in their place. */
  issuer: string | null;
  subject: string | null;
  /** When the identity stops to be one, in milliseconds: its static keys expire. */
  expires: number | null;
}

interface RoleBindingColumns extends ResourceColumns {
  identity_uid: string;
  role_uid: string;
}

interface IdentityProviderColumns extends ResourceColumns {
  /** The uid of the role that people who log in get. */
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
  /** What its name's form says it is: bits of `tag-form.ts`. */
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
  /** A bit for each `EventTypeFilter` that an event of it has. */
  event_types: number;
  /** The `EventTypeFilter` of its latest event; 0 without any. */
  latest_event_type: number;
  /** What free text is searched in, in lower case. */
  search_text: string;
}

/** How many resources of a kind are in a part of the tree, kept by the transaction that changes it. */
interface TreeCountColumns {
  /** A uid; empty for the whole platform. */
  scope: string;
  /** The table that is counted. */
  kind: string;
  children: number;
  descendants: number;
}

interface AuditLogColumns {
  /** In the order in which changes were kept. */
  sequence: Generated<number>;
  /** Milliseconds since the epoch. */
  time: number;
  /** What the author is searched by. */
  actor: string;
  /** JSON. */
  author: string;
  action: string;
  type: string;
  uid: string;
  /** JSON: old and new values by field, without secrets. */
  fields: string;
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
  /** Other names of an advisory, each found by itself. */
  advisory_aliases: { alias: string; advisory_uid: string };
  tree_counts: TreeCountColumns;
  audit_log: AuditLogColumns;
  /** The binding that was made with a root group, and goes with it. */
  founding_bindings: { group_uid: string; binding_uid: string };
  /** Single facts of the platform: the version of the schema, the uid of the first root group. */
  facts: { name: string; value: string };
  /** SHA-256 of the tokens that are the admin's, in hex. */
  admin_tokens: { hash: string; create_time: number };
  /** What came of one exchange: an API token after the other, until it ends. */
  refresh_families: {
    id: string;
    identity_uid: string;
    /** SHA-256, in hex, of the one refresh token that has not been used. */
    token_hash: string;
    /** Milliseconds since the epoch. */
    expires: number;
    /** The audiences, downscoping and actor of its API tokens, as JSON. */
    content: string;
  };
  signing_keys: {
    kid: string;
    create_time: number;
    /** A JWK. */
    public_key: string;
    /** A JWK, sealed under the key file. */
    private_key: Uint8Array;
  };
}

/** The tables that hold resources of the contract. */
export type ResourceTable =
  | "groups"
  | "identities"
  | "roles"
  | "role_bindings"
  | "identity_providers"
  | "account_associations"
  | "group_invites"
  | "repos"
  | "tags"
  | "advisories";
