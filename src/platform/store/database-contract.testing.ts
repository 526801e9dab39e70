import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AuthoredWriter } from "#src/platform/audit/authored-writer.ts";
import { groups } from "#src/platform/collections/groups.ts";
import { GroupSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { countBelow } from "#src/platform/resources/tree-counts.ts";
import { identityShares, type Share } from "../shares/share.ts";
import { type Database, statement } from "./database.ts";

/** A backend under test: an empty database that can be closed and opened again. */
export interface Backend {
  open(): Promise<Database>;
  remove(): Promise<void>;
}

const put = statement((db, p: { name: string; value: string }) =>
  db
    .insertInto("facts")
    .values({ name: p.name, value: p.value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: p.value })),
);
const get = statement((db, p: { name: string }) => db.selectFrom("facts").select("value").where("name", "=", p.name));
const all = statement<object, { name: string }>((db) => db.selectFrom("facts").select("name").orderBy("name"));

/** The contract of every backend. */
export function databaseContract(name: string, makeBackend: () => Promise<Backend>): void {
  describe(`the database on ${name}`, () => {
    let backend: Backend;
    let database: Database;
    beforeEach(async () => {
      backend = await makeBackend();
      database = await backend.open();
    });
    afterEach(async () => {
      await database.close();
      await backend.remove();
    });

    const valueOf = async (key: string) => (await database.read((tx) => tx.first(get, { name: key })))?.value;

    it("keeps data when it is closed and opened again", async () => {
      await database.write((tx) => tx.run(put, { name: "a", value: "1" }));
      await database.close();
      database = await backend.open();
      expect(await valueOf("a")).toBe("1");
    });

    it.each(["read", "write"] as const)(
      "serves a newcomer's %s before those of a caller that has many",
      async (kind) => {
        const [busy, newcomer] = ["a", "b"].map((digit) => identityShares(`${digit.repeat(40)}/${"0".repeat(16)}`));
        const order: string[] = [];
        const job = (who: string, shares: readonly Share[] = []) =>
          database[kind](async (tx) => {
            order.push(who);
            await tx.first(get, { name: who });
          }, shares);
        await Promise.all([...Array.from({ length: 300 }, () => job("busy", busy)), job("newcomer", newcomer)]);
        expect(order).toHaveLength(301);
        // Some of the others run already.
        expect(order.indexOf("newcomer")).toBeLessThan(100);
      },
    );

    it("rolls back a write that throws, and only that write", async () => {
      const results = await Promise.allSettled(
        ["a", "b", "c"].map((key) =>
          database.write(async (tx) => {
            await tx.run(put, { name: key, value: "1" });
            if (key === "b") throw new Error("refused");
          }),
        ),
      );
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await Promise.all(["a", "b", "c"].map(valueOf))).toEqual(["1", undefined, "1"]);
    });

    it("serializes writes: no update is lost", async () => {
      const increment = () =>
        database.write(async (tx) => {
          const value = Number((await tx.first(get, { name: "n" }))?.value ?? "0");
          await tx.run(put, { name: "n", value: String(value + 1) });
        });
      await Promise.all(Array.from({ length: 50 }, increment));
      expect(await valueOf("n")).toBe("50");
    });

    it("shows uncommitted changes only to their own write", async () => {
      let seenBeside: string | undefined = "nothing was read";
      await database.write(async (tx) => {
        await tx.run(put, { name: "a", value: "1" });
        expect((await tx.first(get, { name: "a" }))?.value).toBe("1");
        seenBeside = await valueOf("a");
      });
      expect(seenBeside).toBeUndefined();
      expect(await valueOf("a")).toBe("1");
    });

    it("shows a read one consistent state while writes are committed", async () => {
      const put2 = (value: string) =>
        database.write(async (tx) => {
          for (const key of ["a", "b"]) await tx.run(put, { name: key, value });
        });
      await put2("before");
      const seen = await database.read(async (tx) => {
        const a = await tx.first(get, { name: "a" });
        // Only this test nests transactions, to commit a write between two statements of a read.
        await put2("after");
        return [a, await tx.first(get, { name: "b" })];
      });
      expect(seen).toEqual([{ value: "before" }, { value: "before" }]);
      expect(await valueOf("b")).toBe("after");
    });

    it("returns how many rows a statement changed", async () => {
      expect(await database.write((tx) => tx.run(put, { name: "a", value: "1" }))).toBe(1);
      const deleteByName = statement((db, p: { name: string }) => db.deleteFrom("facts").where("name", "=", p.name));
      expect(await database.write((tx) => tx.run(deleteByName, { name: "b" }))).toBe(0);
    });

    it("compares text byte by byte", async () => {
      const names = ["a b", "a-b", "a.b", "a/b", "a0", "a_b", "ab", "b"];
      await database.write(async (tx) => {
        for (const one of names.toReversed()) await tx.run(put, { name: one, value: "" });
      });
      expect((await database.read((tx) => tx.all(all, {}))).map((row) => row.name)).toEqual(names);
    });

    it("completes accepted writes before it closes", async () => {
      const written = database.write((tx) => tx.run(put, { name: "a", value: "1" }));
      await database.close();
      expect(await written).toBe(1);
      database = await backend.open();
      expect(await valueOf("a")).toBe("1");
    });

    it("completes accepted reads before it closes", async () => {
      const reads = Array.from({ length: 20 }, () => valueOf("a"));
      await database.close();
      expect(new Set(await Promise.all(reads))).toEqual(new Set([undefined]));
      database = await backend.open();
    });

    describe("resources", () => {
      const root = "a".repeat(40);
      const child = `${root}/0000000000000001`;
      const grandchild = `${child}/0000000000000002`;
      const change = (work: (tx: AuthoredWriter) => Promise<unknown>) =>
        database.write((tx) => work(new AuthoredWriter(tx, { kind: "host", command: "test" }, 1_700_000_000_456)));
      const group = (uid: string, title = "g") => {
        const time = timestampFromMs(1_700_000_000_123);
        return create(GroupSchema, { uid, name: title, createTime: time, updateTime: time });
      };

      it("are read back as they were written", async () => {
        await change((tx) => groups.insert(tx, group(child, "first")));
        expect(await database.read((tx) => groups.find(tx, child))).toEqual(group(child, "first"));
        await change((tx) => groups.update(tx, group(child, "second")));
        expect((await database.read((tx) => groups.findAll(tx, [child, root], (found) => found.name))).get(child)).toBe(
          "second",
        );
        expect(await change((tx) => groups.delete(tx, child))).toBe(true);
        expect(await change((tx) => groups.delete(tx, child))).toBe(false);
        expect(await database.read((tx) => groups.find(tx, child))).toBeUndefined();
      });

      it("are counted in the transaction that changes them", async () => {
        const counts = () =>
          database.read(async (tx) => [
            await countBelow(tx, "groups", { kind: "everything" }),
            await countBelow(tx, "groups", { kind: "roots" }),
            await countBelow(tx, "groups", { kind: "descendants", uid: root }),
            await countBelow(tx, "groups", { kind: "children", uid: root }),
            await countBelow(tx, "identities", { kind: "everything" }),
          ]);
        await change(async (tx) => {
          for (const uid of [root, child, grandchild]) await groups.insert(tx, group(uid));
        });
        expect(await counts()).toEqual([3, 1, 2, 1, 0]);
        await Promise.allSettled([
          change((tx) => groups.delete(tx, grandchild)),
          change(async (tx) => {
            await groups.delete(tx, child);
            throw new Error("refused");
          }),
        ]);
        expect(await counts()).toEqual([2, 1, 1, 1, 0]);
      });
    });
  });
}
