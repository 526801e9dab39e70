import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeOnEachBackend } from "#src/platform/tests/describe-on-each-backend.testing.ts";
import { settingsAt } from "#src/platform/tests/settings-at.testing.ts";
import { Access } from "../authorization/access.ts";
import { Capability } from "../authorization/capability.ts";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { groups } from "../collections/groups.ts";
import { identities } from "../collections/identities.ts";
import { newRootUid, newUidIn } from "../contract/uid.ts";
import { type Group, GroupSchema, ListGroupsRequestSchema } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentitySchema, ListIdentitiesRequestSchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import { PageTokens } from "../resources/page-token.ts";
import type { Transaction } from "../service/transaction.ts";
import { CountingReader } from "../store/counting-reader.testing.ts";
import type { Database, Reader } from "../store/database.ts";
import { listPage } from "./list-page.ts";

const pageTokens = new PageTokens(new Uint8Array(32));
const now = 1_700_000_000_000;

function sessionOf(tx: Reader, granted: readonly string[] | "everything"): Transaction {
  const capabilities = new Set([Capability.CAP_IAM_GROUPS_LIST, Capability.CAP_IAM_IDENTITY_LIST]);
  const access = new Access(granted === "everything" ? granted : granted.map((group) => ({ group, capabilities })));
  return { tx, caller: { kind: "admin" }, access, now, settings: settingsAt("http://platform"), pageTokens };
}

describeOnEachBackend("a List over 10,000 disjoint groups", (open) => {
  let database: Database;
  let remove: () => Promise<void>;
  /** The groups that exist and the caller can see, each with children. */
  const seen: Group[] = [];
  const root = newRootUid();
  const granted = Array.from({ length: 10_000 }, () => newUidIn(root));

  beforeAll(async () => {
    ({ database, remove } = await open());
    await database.write(async (writer) => {
      const tx = new AuthoredWriter(writer, { kind: "host", command: "test" }, 0);
      const insert = async (uid: string, name: string) => {
        const createTime = timestampFromMs(now + (uid.codePointAt(50) ?? 0));
        const group = create(GroupSchema, { uid, name, createTime, updateTime: createTime });
        await groups.insert(tx, group);
        return group;
      };
      await insert(root, "root");
      await insert(newUidIn(root), "a");
      for (const [n, uid] of granted.entries()) {
        if (n % 400 !== 0) continue;
        seen.push(await insert(uid, `${n % 3}`));
        for (let child = 0; child < 6; child++) seen.push(await insert(newUidIn(uid), child % 2 === 0 ? "a" : "b"));
      }
    });
  }, 60_000);
  afterAll(() => remove());

  async function pages(filters: { name?: string; orderBy?: string; skip?: number }, pageSize: number) {
    const found: Group[] = [];
    const counts = new Set<bigint>();
    let [pageToken, queries, skip] = ["", 0, filters.skip ?? 0];
    do {
      const request = create(ListGroupsRequestSchema, { ...filters, skip, pageSize, pageToken });
      const { name } = request;
      const page = await database.read((reader) => {
        const tx = new CountingReader(reader);
        return listPage(sessionOf(tx, granted), groups, {
          schema: ListGroupsRequestSchema,
          request,
          conditions: name === "" ? [] : [(row) => row("name", "=", name)],
        }).finally(() => {
          queries = Math.max(queries, tx.statements);
        });
      });
      found.push(...page.items);
      counts.add(page.totalCount);
      pageToken = page.nextPageToken ?? "";
      skip = 0;
    } while (pageToken !== "");
    return { uids: found.map(({ uid }) => uid), counts: [...counts], queries };
  }

  const byUid = (a: Group, b: Group) => (a.uid < b.uid ? -1 : 1);

  it("returns every group once, in the order of their uids, in both directions", async () => {
    const expected = seen.toSorted(byUid).map(({ uid }) => uid);
    const found = await pages({}, 50);
    expect(found).toMatchObject({ uids: expected, counts: [BigInt(seen.length)] });
    // One query for each region with groups, and a few for the counts of several hundred regions.
    expect(found.queries).toBeLessThan(150);
    expect((await pages({ orderBy: "uid desc", skip: 100 }, 60)).uids).toEqual(expected.toReversed().slice(100));
  });

  it("returns every group once, in the order of another field", async () => {
    const expected = seen.toSorted((a, b) => (a.name === b.name ? byUid(a, b) : a.name < b.name ? 1 : -1));
    const found = await pages({ orderBy: "name desc" }, 70);
    expect(found.uids).toEqual(expected.map(({ uid }) => uid));
    expect(found.queries).toBeLessThan(150);
  });

  it("filters and counts them", { timeout: 60_000 }, async () => {
    const expected = seen.filter(({ name }) => name === "a").toSorted(byUid);
    const found = await pages({ name: "a" }, 200);
    expect(found).toMatchObject({ uids: expected.map(({ uid }) => uid), counts: [BigInt(expected.length)] });
    // A few for the counts of several hundred regions, one for all regions with groups, and one for those of the page.
    expect(found.queries).toBeLessThan(80);
    expect((await pages({ name: "a", orderBy: "uid desc", skip: 10 }, 20)).uids).toEqual(
      expected
        .toReversed()
        .map(({ uid }) => uid)
        .slice(10),
    );
  });

  it("sorts them by another field with as few queries", async () => {
    const timeOf = ({ createTime }: Group) => Number(createTime?.seconds) * 1_000 + (createTime?.nanos ?? 0) / 1e6;
    const expected = seen
      .filter(({ name }) => name === "a")
      .toSorted((a, b) => (timeOf(a) === timeOf(b) ? byUid(a, b) : timeOf(b) - timeOf(a)));
    const found = await pages({ name: "a", orderBy: "created_at desc" }, 20);
    expect(found.uids).toEqual(expected.map(({ uid }) => uid));
    expect(found.queries).toBeLessThan(80);
  });

  it("finds listed uids with one query for all of them", async () => {
    const ids = [...seen.slice(0, 40).map(({ uid }) => uid), newUidIn(root), root];
    const request = create(ListGroupsRequestSchema, { uidp: { ids } });
    const { totalCount } = await database.read((tx) =>
      listPage(sessionOf(tx, granted), groups, { schema: ListGroupsRequestSchema, request }),
    );
    expect(totalCount).toBe(40n);
  });
});

describeOnEachBackend("a List examines a bounded number of rows", (open) => {
  let database: Database;
  let remove: () => Promise<void>;
  const root = newRootUid();
  beforeAll(async () => {
    ({ database, remove } = await open());
    await database.write(async (writer) => {
      const tx = new AuthoredWriter(writer, { kind: "host", command: "test" }, 0);
      await groups.insert(tx, create(GroupSchema, { uid: root, name: "root" }));
      for (let n = 0; n < 12; n++)
        await identities.insert(tx, create(IdentitySchema, { uid: newUidIn(root), name: "a" }));
    });
  });
  afterAll(() => remove());

  const list = (request: { name?: string; skip?: number }, scanned: boolean) =>
    database.read((tx) =>
      listPage(sessionOf(tx, "everything"), identities, {
        schema: ListIdentitiesRequestSchema,
        request: create(ListIdentitiesRequestSchema, request),
        conditions: request.name === undefined ? [] : [(row) => row("name", "=", request.name ?? "")],
        scanned: scanned ? [(row) => row("relationship", "=", 1)] : [],
      }),
    );

  it("refuses to skip more than 100,000, naming skip", async () => {
    await expect(list({ skip: sizeLimits.skip.value }, false)).resolves.toMatchObject({ items: [], totalCount: 12n });
    await expect(list({ skip: sizeLimits.skip.value + 1 }, false)).rejects.toMatchObject({
      code: 3,
      detail: { field: "skip" },
    });
  });

  describe("with a limit of 10 rows", () => {
    const { value } = sizeLimits.scan;
    beforeAll(() => void Object.assign(sizeLimits.scan, { value: 10 }));
    afterAll(() => void Object.assign(sizeLimits.scan, { value }));

    it("refuses a filter without an index if more rows would be examined, naming the filter", async () => {
      await expect(list({}, true)).rejects.toMatchObject({ code: 3, detail: { field: "uidp" } });
      await expect(list({ name: "b" }, true)).resolves.toMatchObject({ totalCount: 0n });
    });

    it("refuses a filter that selects more rows, naming it, and lists all of them without a filter", async () => {
      await expect(list({ name: "a" }, false)).rejects.toMatchObject({ code: 3, detail: { field: "name" } });
      await expect(list({}, false)).resolves.toMatchObject({ totalCount: 12n });
    });
  });
});
