import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, it } from "vitest";
import { groups } from "#src/platform/collections/groups.ts";
import type { Database } from "#src/platform/store/database.ts";
import { outermost } from "../authorization/grant.ts";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { GroupSchema } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { describeOnEachBackend } from "#src/platform/tests/describe-on-each-backend.testing.ts";
import type { Order, SortColumn } from "./order.ts";
import type { PageQuery } from "./page-query.ts";
import { pageRows } from "./page-rows.ts";
import { contains } from "./region-model.testing.ts";
import type { Region } from "./region.ts";

interface Row {
  readonly uid: string;
  readonly name: string;
  readonly create_time: number;
  readonly update_time: number;
}

/** A linear congruential generator: the same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
}

const next = numbers(5);
const segment = (length: number) => Array.from({ length }, () => next(16).toString(16)).join("");

/** A deep tree with few names and few times, so that there are many ties. */
const rows: Row[] = Array.from({ length: 3 }, () => segment(40)).map(rowOf);
for (let count = 0; count < 120; count++) rows.push(rowOf(`${rows[next(rows.length)]?.uid}/${segment(16)}`));

function rowOf(uid: string): Row {
  const create_time = 1_700_000_000_000 + next(4);
  return { uid, name: ["a", "a b", "b"][next(3)] ?? "", create_time, update_time: create_time + next(3) };
}

function someRegions(): Region[] {
  const any = () => rows[next(rows.length)]?.uid ?? "";
  switch (next(6)) {
    case 0:
      return [{ kind: "everything" }];
    case 1:
      return [{ kind: "roots" }];
    case 2:
      return [{ kind: "children", uid: any() }];
    case 3:
      return [{ kind: "descendants", uid: rows[next(3)]?.uid ?? "" }];
    case 4:
      return [{ kind: "subtree", uid: any() }];
    default:
      return outermost(Array.from({ length: 1 + next(6) }, any)).map((uid, n) =>
        n % 3 === 2 ? { kind: "resource", uid } : { kind: "subtree", uid },
      );
  }
}

function sorted(regions: readonly Region[], { column, direction }: Order): Row[] {
  const sign = direction === "asc" ? 1 : -1;
  return rows
    .filter(({ uid }) => regions.some((region) => contains(region, uid)))
    .toSorted((a, b) => (a[column] === b[column] ? (a.uid < b.uid ? -1 : 1) : a[column] < b[column] ? -sign : sign));
}

describeOnEachBackend("the rows of a page", (open) => {
  let database: Database;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    ({ database, remove } = await open());
    await database.write(async (writer) => {
      const tx = new AuthoredWriter(writer, { kind: "host", command: "test" }, 0);
      for (const { uid, name, create_time, update_time } of rows) {
        const times = { createTime: timestampFromMs(create_time), updateTime: timestampFromMs(update_time) };
        await groups.insert(tx, create(GroupSchema, { uid, name, ...times }));
      }
    });
  });
  afterAll(() => remove());

  /** The uids of all pages, concatenated. */
  async function walked(query: PageQuery, size: number): Promise<string[]> {
    const seen: string[] = [];
    for (let { cursor, skip } = query; ; skip = 0) {
      const page = { ...query, cursor, skip, limit: size };
      const found = await database.read((tx) => pageRows(tx, page));
      seen.push(...found.map(({ uid }) => uid));
      const last = found.at(-1);
      if (last === undefined || found.length < size) return seen;
      cursor = { sort: last.sort, uid: last.uid };
    }
  }

  for (const column of ["uid", "name", "create_time", "update_time"] satisfies SortColumn[])
    for (const direction of ["asc", "desc"] as const)
      for (const plan of ["walked along an index", "sorted"] as const)
        it(`equal those of a naive model, by ${column} ${direction}, ${plan}`, async () => {
          const wrong: unknown[] = [];
          for (let round = 0; round < 60; round++) {
            const regions = someRegions();
            const order = { column, direction };
            const skip = next(3) === 0 ? next(30) : 0;
            // The counts decide on the query plan. Whatever they are, the rows must be the same.
            const counts = plan === "sorted" ? undefined : { selected: 1_000_000, table: 1_000_000 };
            const query = {
              table: "groups",
              regions,
              conditions: [],
              order,
              cursor: undefined,
              skip,
              limit: 0,
              counts,
            } as const;
            const size = 1 + next(9);
            const found = await walked(query, size);
            const expected = sorted(regions, order).slice(skip);
            const equal = expected.length === found.length && expected.every(({ uid }, n) => uid === found[n]);
            if (!equal) wrong.push({ regions, skip, size, found, expected });
          }
          expect(wrong).toEqual([]);
        });
});
