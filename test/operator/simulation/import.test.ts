import { describe, expect, it } from "vitest";
import { importFiles } from "#src/import/import-files.ts";
import { adoptingObjects, ImportedWorld } from "./imported-world.ts";

const worlds = Number(process.env["MUSTER_IMPORT_WORLDS"] ?? 60);
const seeds = Array.from({ length: worlds }, (_, index) => index + 1);
const nothing = { changes: [], refusals: [], unproven: [], writes: [] };

describe("what was imported from a random tree", () => {
  it("observes without a write, then adopts with one write for each resource with a marker", async () => {
    let [objects, adopted] = [0, 0];
    for (const seed of seeds) {
      const world = new ImportedWorld(seed);
      const observing = await world.import(false);
      const observed = world.store(observing);
      objects += observed.length;
      expect(await world.plan({ apply: observed }), `seed ${seed}`).toEqual(nothing);
      expect(await world.act({ apply: observed }), `seed ${seed}`).toEqual([]);
      expect(world.notReady(observed), `seed ${seed}`).toEqual([]);
      expect(importFiles(await world.import(false))).toEqual(importFiles(observing));

      const adopting = await world.import(true);
      const managed = world.store(adopting);
      const writes = await world.act({ apply: managed });
      const expected = adoptingObjects(adopting).map(({ spec }) => spec["uid"]);
      adopted += expected.length;
      expect(world.notReady(managed), `seed ${seed}`).toEqual([]);
      expect(
        writes.map(({ do: what, uid, fields }) => `${what} ${uid} ${fields.join()}`).toSorted(),
        `seed ${seed}`,
      ).toEqual(expected.map((uid) => `update ${String(uid)} description`).toSorted());
      expect(await world.plan({ apply: managed }), `seed ${seed}`).toEqual(nothing);
      expect(importFiles(await world.import(true)), `seed ${seed}`).toEqual(importFiles(adopting));
      expect(world.forbidden).toEqual([]);
    }
    console.info(`${worlds} worlds, ${objects} objects, ${adopted} adopted`);
    expect(adopted).toBeGreaterThan(worlds / 2);
  }, 600_000);
});
