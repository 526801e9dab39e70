import type { Migration } from "./migration.ts";

/** The audit log: who changed what, and when, and the events of the security log. The shares of root groups in it. */
export const auditTable: Migration = ({ text, integer, sequence, clustered }) => [
  `create table audit_log (
    sequence ${sequence},
    time ${integer} not null,
    actor ${text} not null,
    author ${text} not null,
    action ${text} not null,
    type ${text} not null,
    uid ${text} not null,
    fields ${text} not null,
    root ${text} not null,
    method ${text} not null,
    code ${integer} not null,
    form ${text} not null,
    change_count ${integer} not null,
    first_time ${integer} not null,
    details ${text} not null
  )`,
  "create index audit_log_by_uid on audit_log (uid, sequence)",
  "create index audit_log_by_root on audit_log (root, sequence)",
  "create index audit_log_by_actor on audit_log (actor, sequence)",
  // With the root, so that events are counted without reading them.
  "create index audit_log_events on audit_log (sequence, root) where form = 'event'",
  `create table daily_shares (
    owner ${text} primary key not null,
    day ${integer} not null,
    used ${integer} not null
  ) ${clustered}`,
];
