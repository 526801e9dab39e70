import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Access } from "../authorization/access.ts";
import { Capability } from "../authorization/capability.ts";
import { groups } from "../collections/groups.ts";
import { identities } from "../collections/identities.ts";
import { personKey } from "../collections/person-key.ts";
import { repos } from "../collections/repos.ts";
import { roles } from "../collections/roles.ts";
import { newUidIn } from "../contract/uid.ts";
import { ListIdentitiesRequestSchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { listPage } from "../handlers/list-page.ts";
import { checkUniqueName } from "../handlers/unique-name.ts";
import { checkEmpty } from "../iam/group-emptiness.ts";
import { lookUpIdentity } from "../iam/identity-lookup.ts";
import { personFilter } from "../iam/person-filter.ts";
import { grantsWithRole } from "../iam/role-binding-rows.ts";
import { checkNotInUse } from "../iam/roles.ts";
import { loginLimits } from "../limits/login-limits.ts";
import { findPerson } from "../login/people.ts";
import { providersFor } from "../login/providers.ts";
import type { Collection } from "../resources/collection.ts";
import { PageTokens } from "../resources/page-token.ts";
import { nameIs } from "../resources/row-condition.ts";
import type { Transaction, WriteTransaction } from "../service/transaction.ts";
import { CountingReader } from "../store/counting-reader.testing.ts";
import type { Reader } from "../store/database.ts";
import { postgresExplaining, sqliteExplaining } from "../store/explaining-reader.testing.ts";
import { SqliteDatabase } from "../store/sqlite/sqlite-database.ts";
import { describeIfPostgres } from "./describe-with-postgres.testing.ts";
import { newPostgresDatabase } from "./new-database.testing.ts";

const rows = 3_000;
/** A login offers the most. */
const few = loginLimits.providers.value;
const [tenant, other] = ["b".repeat(40), "a".repeat(40)];
/** Groups before and after these in the order of uids, one with a single identity and one without any. */
const [before, after] = ["0".repeat(40), "f".repeat(40)];
const group = `${tenant}/${"1".repeat(16)}`;
const [identity, role] = [`${tenant}/${"2".repeat(16)}`, `${tenant}/${"3".repeat(16)}`];
/** More parts of the tree than one query selects, each with an identity that nothing but its uid finds. */
const parts = Array.from({ length: 250 }, (_, n) => `${n.toString(16).padStart(4, "0")}${"c".repeat(36)}`);
const claims = { issuer: "https://issuer.example.com", subject: "ada", audience: "client" };
const now = 1_000_000;
const email = "ada@corp.test";
/** A name that identities of others have, whose person has the address. */
const named = "ada";

/**
 * What tenants can have any number of, and what they are looked up by.
 * @param digits 16 digits of the number n
 * @param noBytes a value without bytes
 */
const fill = (series: string, digits: string, noBytes: string) => {
  const resource = (parent: string) => `'${parent}/' || ${digits}, '${parent}', ${digits}, n, n, ${noBytes}`;
  const people = (parent: string, person: string) =>
    `insert into identities (uid, parent, name, create_time, update_time, body, relationship, issuer, subject, person)
    select ${resource(parent)}, 2, '${claims.issuer}', '${claims.subject}', '${person}' from ${series}`;
  return [
    people(other, "another"),
    `${people(before, "a third")} where n = 1`,
    `update identities set name = '${named}', person_email = '${email}'`,
    people(group, personKey(group, claims)),
    `insert into identities (uid, parent, name, create_time, update_time, body, relationship) values
    ${parts.map((part) => `('${part}/0123456789abcdef', '${part}', '', ${rows}, ${rows}, ${noBytes}, 2)`).join(", ")}`,
    `insert into tree_counts (scope, kind, children, descendants) values
    ${[before, ...parts].map((part) => `('${part}', 'identities', 1, 1)`).join(", ")}`,
    `insert into group_invites (uid, parent, name, create_time, update_time, body, role_uid, expires, key_id, code_hash)
    select ${resource(group)}, '${role}', ${now} - n, ${digits}, '' from ${series}`,
    `insert into identity_providers (uid, parent, name, create_time, update_time, body, default_role)
    select ${resource(group)}, '${role}' from ${series}`,
    // With a name that no child of the tenant's root has, and a role for each child.
    ...["groups", "repos"].map(
      (table) => `insert into ${table} (uid, parent, name, create_time, update_time, body)
      select '${group}/' || ${digits}, '${group}', 'taken', n, n, ${noBytes} from ${series}`,
    ),
    `insert into roles (uid, parent, name, create_time, update_time, body) select ${resource(tenant)} from ${series}`,
    // Of one identity in another group, as many as it may have, and of many identities in the group.
    `insert into role_bindings (uid, parent, name, create_time, update_time, body, identity_uid, role_uid)
    select ${resource(other)}, case when n > ${rows / 10} then '${other}' else '${identity}' end, '${role}' from ${series}`,
    `insert into role_bindings (uid, parent, name, create_time, update_time, body, identity_uid, role_uid)
    select ${resource(group)}, '${tenant}/' || ${digits}, '${role}' from ${series}`,
  ];
};

/** A caller who can list the identities of one group, in which there are many, or none. */
const transaction = (tx: Reader, at: string) => {
  const capabilities = new Set([Capability.CAP_IAM_IDENTITY_LIST]);
  return { tx, access: new Access([{ group: at, capabilities }]) } as unknown as Transaction;
};

/** A List of a caller who can list the identities in these groups. */
const list =
  (granted: readonly string[], init: MessageInitShape<typeof ListIdentitiesRequestSchema>) => (tx: Reader) => {
    const request = create(ListIdentitiesRequestSchema, init);
    const capabilities = new Set([Capability.CAP_IAM_IDENTITY_LIST]);
    const access = new Access(granted.map((at) => ({ group: at, capabilities })));
    const caller = { tx, access, now, pageTokens: new PageTokens(new Uint8Array(32)) } as unknown as Transaction;
    const conditions = [...nameIs(request.name), ...personFilter(request.person).conditions];
    return listPage(caller, identities, { schema: ListIdentitiesRequestSchema, request, conditions });
  };

/** A read, and the index that it searches. */
type BoundedRead = readonly [name: string, index: string, read: (reader: Reader) => Promise<unknown>];

const filters = [
  ["of an address", "person_email", { person: email }],
  ["of a name", "name", { name: named }],
] as const;

const lists: readonly BoundedRead[] = filters.flatMap(([what, index, filter]): BoundedRead[] => [
  [`the identities ${what} in a group`, index, list([before], { ...filter, uidp: { childrenOf: before } })],
  [`the identities ${what} in two parts of the tree`, index, list([before, after], filter)],
  [
    `a page of the identities ${what} in two parts of the tree, by time`,
    index,
    list([before, after], { ...filter, orderBy: "create_time" }),
  ],
]);

const manyPartLists: readonly BoundedRead[] = filters.flatMap(([what, index, filter]): BoundedRead[] => [
  [`the identities ${what} in many parts of the tree`, index, list([before, ...parts], filter)],
  [
    `a page of the identities ${what} in many parts of the tree, by time`,
    index,
    list([before, ...parts], { ...filter, orderBy: "create_time" }),
  ],
]);

/** The check of a name that no child of the tenant's root has. */
function nameCheck<D extends DescMessage>(collection: Collection<D>): BoundedRead {
  const { table, types } = collection.description;
  const check = (tx: Reader) => {
    const writing = { tx, settings: { uniqueNames: true } } as unknown as WriteTransaction;
    return checkUniqueName(writing, collection, newUidIn(tenant), "taken");
  };
  return [`${types} of a name in one parent`, `${table}_by_parent_and_name`, check];
}

const reads: readonly BoundedRead[] = [
  nameCheck(groups),
  nameCheck(roles),
  nameCheck(repos),
  ["the identity of a person", "identities_by_person", (reader) => findPerson(reader, group, claims)],
  [
    "the identity with an issuer and a subject",
    "identities_by_subject",
    (reader) => lookUpIdentity(transaction(reader, group), claims.issuer, claims.subject).catch(() => {}),
  ],
  [
    "no identity, while others have some",
    "identities_by_subject",
    (reader) =>
      lookUpIdentity(transaction(reader, `${tenant}/${"f".repeat(16)}`), claims.issuer, "ada").catch(() => {}),
  ],
  [
    "the providers that a login offers",
    "identity_providers_by_parent_and_name",
    (reader) => providersFor(reader, { kind: "group", uid: group }),
  ],
  ["a valid invite of a group", "group_invites_by_expires", (reader) => checkEmpty(reader, group, now).catch(() => {})],
  [
    "a valid invite with a role",
    "group_invites_by_role_uid",
    (reader) => checkNotInUse(reader, `${tenant}/x`, now).catch(() => {}),
  ],
  ["an equal role binding", "role_bindings_by_identity_uid", (reader) => grantsWithRole(reader, group, identity, role)],
];

describe("on SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-reads-"));
  let file: DatabaseSync;
  beforeAll(async () => {
    await new SqliteDatabase(join(folder, "data")).close();
    file = new DatabaseSync(join(folder, "data"));
    const series = `with recursive s(n) as (select 1 union all select n + 1 from s where n < ${rows})`;
    for (const insert of fill("s", "substr('0000000000000000' || n, -16)", "x''")) file.exec(`${series} ${insert}`);
  });
  afterAll(() => {
    file.close();
    rmSync(folder, { recursive: true });
  });

  it.each(reads)("searches the index that bounds the rows for %s, and returns a few", async (_, index, read) => {
    const steps: string[] = [];
    const reader = new CountingReader(sqliteExplaining(file, (step) => steps.push(step)));
    await read(reader);
    expect(steps).toContainEqual(expect.stringMatching(`SEARCH ${tableOf(index)} USING (COVERING )?INDEX ${index} `));
    expect(reader.rows).toBeLessThanOrEqual(few);
  });

  it.each([...lists, ...manyPartLists])(
    "searches only the caller's part of the index for %s",
    async (_, column, read) => {
      const steps: string[] = [];
      await read(sqliteExplaining(file, (step) => steps.push(step)));
      const searched = steps.filter((step) => step.includes(` identities_by_${column} `));
      expect(searched).not.toEqual([]);
      for (const step of searched) expect(step).toContain(`(${column}=? AND uid>? AND uid<?)`);
    },
  );
});

function tableOf(index: string): string {
  return index.slice(0, index.indexOf("_by_"));
}

describeIfPostgres("on PostgreSQL", () => {
  let client: Client;
  beforeAll(async () => {
    client = new Client({ connectionString: await newPostgresDatabase() });
    await client.connect();
    for (const insert of fill(`generate_series(1, ${rows}) as s(n)`, "lpad(n::text, 16, '0')", "''::bytea"))
      await client.query(insert);
    await client.query("analyze");
    // In tables of this size, PostgreSQL prefers to scan them.
    await client.query("set enable_seqscan = off");
  });
  afterAll(() => client.end());

  const mostExamined = async (read: (reader: Reader) => Promise<unknown>) => {
    const examined: number[] = [];
    await read(postgresExplaining(client, (found) => examined.push(found)));
    return Math.max(...examined);
  };

  it.each([...reads, ...lists])("examines a few rows for %s", async (_name, _index, read) => {
    expect(await mostExamined(read)).toBeLessThanOrEqual(few);
  });

  it.each(manyPartLists)("examines a count of each part for %s, and a few rows", async (_name, _index, read) => {
    expect(await mostExamined(read)).toBeLessThanOrEqual(1 + parts.length);
  });
});
