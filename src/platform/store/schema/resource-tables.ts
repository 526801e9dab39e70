import type { Migration, SqlTypes } from "./migration.ts";
import type { ResourceTable } from "./tables.ts";

/**
 * The tables of the ten collections. Each index begins with what a List sorts or filters by, and ends with the uid, which breaks
 * ties.
 */
export const resourceTables: Migration = (types) => {
  const { text, integer } = types;
  return [
    table(types, "groups"),
    index("groups", "parent"),
    index("groups", "name"),
    index("groups", "create_time"),
    index("groups", "update_time"),
    byParentAndName("groups"),

    table(
      types,
      "identities",
      `relationship ${integer} not null`,
      `issuer ${text}`,
      `subject ${text}`,
      `person ${text}`,
      `person_name ${text}`,
      `person_email ${text}`,
      `expires ${integer}`,
    ),
    index("identities", "parent"),
    index("identities", "name"),
    index("identities", "create_time"),
    index("identities", "update_time"),
    "create index identities_by_subject on identities (subject, issuer, uid)",
    // Most identities are not of people.
    "create index identities_by_person on identities (person, create_time, uid) where person is not null",
    "create index identities_by_person_email on identities (person_email, uid) where person_email is not null",

    table(types, "roles"),
    index("roles", "parent"),
    byParentAndName("roles"),

    table(types, "role_bindings", `identity_uid ${text} not null`, `role_uid ${text} not null`),
    index("role_bindings", "parent"),
    index("role_bindings", "create_time"),
    index("role_bindings", "identity_uid"),
    index("role_bindings", "role_uid"),

    table(types, "identity_providers", `default_role ${text} not null`),
    index("identity_providers", "parent"),
    index("identity_providers", "name"),
    index("identity_providers", "create_time"),
    index("identity_providers", "default_role"),
    // The first ones of a group by name, which a login offers.
    byParentAndName("identity_providers"),

    table(types, "account_associations"),
    index("account_associations", "parent"),
    index("account_associations", "name"),
    index("account_associations", "create_time"),

    table(
      types,
      "group_invites",
      `role_uid ${text} not null`,
      `expires ${integer} not null`,
      `key_id ${text} not null`,
      `code_hash ${text} not null`,
    ),
    index("group_invites", "parent"),
    index("group_invites", "create_time"),
    // Whether a group or a role has an invite that is valid: of those that have expired, a tenant may have any number.
    "create index group_invites_by_expires on group_invites (parent, expires)",
    "create index group_invites_by_role_uid on group_invites (role_uid, expires)",
    index("group_invites", "key_id"),

    table(types, "repos"),
    index("repos", "parent"),
    index("repos", "name"),
    index("repos", "create_time"),
    index("repos", "update_time"),
    byParentAndName("repos"),

    table(types, "tags", `digest ${text} not null`, `form ${integer} not null`),
    index("tags", "parent"),
    index("tags", "name"),
    index("tags", "create_time"),
    index("tags", "update_time"),
    index("tags", "digest"),

    table(
      types,
      "advisories",
      `advisory_id ${text} not null`,
      `legacy_advisory_id ${text}`,
      `artifact_name ${text} not null`,
      `artifact_type ${text} not null`,
      `artifact_architecture ${text} not null`,
      `component_name ${text} not null`,
      `component_type ${text} not null`,
      `component_location ${text} not null`,
      `event_types ${integer} not null`,
      `latest_event_type ${integer} not null`,
      `search_text ${text} not null`,
    ),
    index("advisories", "parent"),
    index("advisories", "create_time"),
    index("advisories", "update_time"),
    index("advisories", "advisory_id"),
    index("advisories", "legacy_advisory_id"),
    index("advisories", "artifact_name"),
    index("advisories", "component_name"),
    index("advisories", "latest_event_type"),
    `create table advisory_aliases (
      alias ${text} not null,
      advisory_uid ${text} not null,
      primary key (alias, advisory_uid)
    ) ${types.clustered}`,
  ];
};

/** @param columns those of the collection, after those that every collection has */
function table({ text, integer, bytes, clustered }: SqlTypes, name: ResourceTable, ...columns: string[]): string {
  const common = [
    `uid ${text} primary key not null`,
    `parent ${text}`,
    `name ${text} not null`,
    `create_time ${integer} not null`,
    `update_time ${integer} not null`,
    `body ${bytes} not null`,
  ];
  return `create table ${name} (${[...common, ...columns].join(", ")}) ${clustered}`;
}

function index(name: ResourceTable, column: string): string {
  return `create index ${name}_by_${column} on ${name} (${column}, uid)`;
}

/** The siblings of a name, which unique names look for. Identities have none: it would cost each create of one 4 %. */
function byParentAndName(name: ResourceTable): string {
  return `create index ${name}_by_parent_and_name on ${name} (parent, name, uid)`;
}
