import type { Migration } from "./migration.ts";

/** Keys, tokens and codes, and what ends them. */
export const accessTables: Migration = ({ text, integer, bytes, clustered }) => [
  `create table admin_tokens (
    hash ${text} primary key not null,
    create_time ${integer} not null,
    name ${text},
    expires ${integer}
  )`,
  "create unique index admin_tokens_by_name on admin_tokens (name)",

  `create table signing_keys (
    kid ${text} primary key not null,
    create_time ${integer} not null,
    public_key ${text} not null,
    private_key ${bytes} not null
  )`,

  `create table refresh_families (
    id ${text} primary key not null,
    identity_uid ${text} not null,
    token_hash ${text} not null,
    content ${text} not null
  ) ${clustered}`,
  "create index refresh_families_by_identity on refresh_families (identity_uid, id)",

  `create table security_stamps (
    identity_uid ${text} primary key not null,
    stamp ${text} not null
  ) ${clustered}`,

  `create table used_tokens (
    digest ${text} primary key not null,
    expires ${integer} not null
  ) ${clustered}`,
  "create index used_tokens_by_expires on used_tokens (expires)",

  `create table login_codes (
    hash ${text} primary key not null,
    user_code_hash ${text},
    address ${text} not null,
    expires ${integer} not null,
    state ${text} not null,
    next_poll ${integer} not null,
    content ${text} not null
  ) ${clustered}`,
  "create index login_codes_by_expires on login_codes (expires, address)",
  "create unique index login_codes_by_user_code on login_codes (user_code_hash)",
];
