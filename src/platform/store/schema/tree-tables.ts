import type { Migration } from "./migration.ts";

/** What is true of the tree as a whole: its counts and limits, the creator bindings, and single values. */
export const treeTables: Migration = ({ text, integer, clustered }) => [
  `create table tree_counts (
    scope ${text} not null,
    kind ${text} not null,
    children ${integer} not null,
    descendants ${integer} not null,
    maximum ${integer},
    primary key (scope, kind)
  ) ${clustered}`,

  `create table founding_bindings (
    group_uid ${text} primary key not null,
    binding_uid ${text} not null,
    creator ${text} not null
  )`,

  `create table facts (
    name ${text} primary key not null,
    value ${text} not null
  )`,
];
