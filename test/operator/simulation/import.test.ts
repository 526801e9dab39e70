import { describe, expect, it } from "vitest";
import { importFiles } from "#src/import/import-files.ts";
import type { Policy } from "#src/api/policy.ts";
import type { ImportedObject, ImportedTree } from "#src/import/imported-tree.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { PlatformWrite } from "#src/plan/overlay-platform.ts";
import { inTurn, runsAll, seedsOf } from "#test/support/turn/in-turn.ts";
import { adoptingObjects, declaredUid, ImportedWorld, objectsOf } from "./imported-world.ts";

const worlds = Number(process.env["MUSTER_IMPORT_WORLDS"] ?? 60);
const seeds = inTurn(seedsOf(worlds));
const nothing = { changes: [], refusals: [], unproven: [], writes: [] };

function textsOf(writes: readonly PlatformWrite[]): readonly string[] {
  return writes
    .map(({ do: what, collection, uid, fields }) => `${what} ${collection} ${uid} ${fields.join()}`)
    .toSorted();
}

/** The objects of an import that manage something. */
function managedIn(imported: ImportedTree): readonly ImportedObject[] {
  return objectsOf(imported).filter(({ spec }) => (spec["policy"] as Policy | undefined)?.management !== "Observe");
}

/** The writes by which the operator adopts what was imported. */
function adoptionOf(adopting: ImportedTree): readonly string[] {
  return adoptingObjects(adopting)
    .map((object) => {
      const collection = kinds.find(({ name }) => name === object.kind)?.collection.name;
      // The platform never returns a client secret: it is sent with the marker, and with what it belongs to.
      const fields = object.spec["clientSecretRef"] === undefined ? "description" : "description,oidc";
      return `update ${collection} ${declaredUid(object, adopting)} ${fields}`;
    })
    .toSorted();
}

describe("what was imported from a random tree", () => {
  it("observes without a write, then adopts with one write for each resource with a marker", async () => {
    let objects = 0;
    const adopted = new Map<string, number>();
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
      world.makeSecrets(adopting);
      expect((await world.plan({ apply: managed })).refusals, `seed ${seed}`).toEqual([]);
      // Nothing waits for a resync.
      const writes = await world.act({ apply: managed }, 0);
      for (const { kind } of adoptingObjects(adopting)) adopted.set(kind, (adopted.get(kind) ?? 0) + 1);
      expect(world.notReady(managed), `seed ${seed}`).toEqual([]);
      expect(textsOf(writes), `seed ${seed}`).toEqual(adoptionOf(adopting));
      expect(await world.plan({ apply: managed }), `seed ${seed}`).toEqual(nothing);
      expect(importFiles(await world.import(true)), `seed ${seed}`).toEqual(importFiles(adopting));
      // What these objects declare has no second one in another namespace.
      expect(managedIn(await world.import(true, "second")), `seed ${seed}`).toEqual([]);
      expect(world.forbidden).toEqual([]);
    }
    console.info(`${seeds.length} worlds, ${objects} objects; adopted: ${JSON.stringify(Object.fromEntries(adopted))}`);
    expect(adopted.size).toBeGreaterThan(0);
    for (const kind of runsAll ? ["Group", "Identity", "Role", "IdentityProvider", "AccountAssociation"] : [])
      expect(adopted.get(kind), kind).toBeGreaterThan(seeds.length / 10);
  }, 600_000);

  it("observes what was applied with the finalizer of the admission policy while no operator led, and is deleted", async () => {
    let objects = 0;
    for (const seed of seeds) {
      const world = new ImportedWorld(seed);
      const { kube, platform } = world.scenario;
      kube.admitsFinalizer = true;
      const observed = world.store(await world.import(false));
      objects += observed.length;
      for (const admitsFinalizer of [false, true])
        expect(await world.plan({ apply: observed }, undefined, admitsFinalizer), `seed ${seed}`).toEqual(nothing);
      expect(await world.act({ apply: observed }, 0), `seed ${seed}`).toEqual([]);
      expect(world.notReady(observed), `seed ${seed}`).toEqual([]);
      await world.scenario.restart();

      // Some are deleted before an operator has seen them.
      const again = observed.filter((_, index) => index % 2 === 0);
      const count = platform.applied.length;
      for (const one of observed) kube.remove(one);
      await world.quiet(0);
      for (const one of again) {
        kube.apply(one);
        kube.remove(one);
      }
      expect(kube.objects().length, `seed ${seed}`).toBe(again.length);
      world.scenario.handOver();
      await world.quiet(0);
      expect(kube.objects(), `seed ${seed}`).toEqual([]);
      expect(platform.applied.slice(count), `seed ${seed}`).toEqual([]);
    }
    console.info(`${seeds.length} worlds, ${objects} objects`);
  }, 600_000);

  it("adopts in an empty cluster, where nothing observed it before", async () => {
    for (const seed of inTurn(seedsOf(worlds / 3))) {
      const world = new ImportedWorld(seed);
      const adopting = await world.import(true);
      const managed = world.store(adopting);
      world.makeSecrets(adopting);
      const writes = await world.act({ apply: managed }, 0);
      expect(world.notReady(managed), `seed ${seed}`).toEqual([]);
      expect(textsOf(writes), `seed ${seed}`).toEqual(adoptionOf(adopting));
    }
  }, 600_000);

  it("keeps the client secret of a provider until its Secret exists, and sends that once", async () => {
    let providers = 0;
    for (const seed of seeds) {
      const world = new ImportedWorld(seed);
      await world.act({ apply: world.store(await world.import(false)) });
      const adopting = await world.import(true);
      const managed = adoptingObjects(adopting).filter(({ spec }) => spec["clientSecretRef"] !== undefined);
      if (managed.length === 0) continue;
      providers += managed.length;
      const uids = managed.map(({ spec }) => String(spec["uid"]));
      const { clientSecrets } = world.scenario.platform;
      for (const uid of uids) clientSecrets.set(uid, "made by people");
      const apply = world.store(adopting);
      const fieldsOf = (writes: readonly PlatformWrite[]) =>
        writes.filter(({ uid }) => uids.includes(uid)).map(({ uid, fields }) => `${uid} ${fields.join()}`);

      expect(fieldsOf(await world.act({ apply })).toSorted()).toEqual(
        uids.map((uid) => `${uid} description`).toSorted(),
      );
      expect(uids.map((uid) => clientSecrets.get(uid))).toEqual(uids.map(() => "made by people"));
      expect(world.notReady(apply).toSorted()).toEqual(
        managed
          .map(
            ({ kind, metadata: { name } }) =>
              `${kind} ${name}: ReferenceNotFound: spec.clientSecretRef: Secret ${name} does not exist in namespace imported. `,
          )
          .toSorted()
          .map((start): unknown => expect.stringContaining(start)),
      );

      world.makeSecrets(adopting);
      expect(fieldsOf(await world.act({})).toSorted()).toEqual(uids.map((uid) => `${uid} oidc`).toSorted());
      expect(uids.map((uid) => clientSecrets.get(uid))).toEqual(uids.map(() => "planted-secret"));
      expect(world.notReady(apply)).toEqual([]);
    }
    if (runsAll) expect(providers).toBeGreaterThan(seeds.length / 10);
  }, 600_000);
});
