import { expect, it } from "vitest";
import type { AuditRecord } from "../audit/audit-record.ts";
import { deleteRecordsBefore } from "../audit/audit-retention.ts";
import { fieldDecidesAccess } from "../audit/deciding-fields.ts";
import { readAuditLog } from "../audit/read-records.ts";
import { type RebuiltAccess, rebuildAccess } from "../audit/rebuilt-access.ts";
import type { Database } from "../store/database.ts";
import { Random } from "./access-model/random.testing.ts";
import { randomHistory } from "./histories/history.testing.ts";
import { differencesOf, snapshotFrom, unknownIn, without } from "./histories/snapshot.testing.ts";

/** MUSTER_HISTORIES=200 is the whole proof; the first seed is another one with MUSTER_HISTORY_SEED. */
const histories = Number(process.env["MUSTER_HISTORIES"] ?? 1);
const firstSeed = Number(process.env["MUSTER_HISTORY_SEED"] ?? 1);
const changesEach = 500;
/** Bytes of audit records a day: some 60 changes, then as many again in short form. */
const shareThatIsUsedUp = 60_000;

it(`the records alone rebuild what decided access at any moment of ${histories} random histories`, {
  timeout: 120_000 * histories,
}, async () => {
  const wrong: string[] = [];
  let compared = 0;
  const calls = new Map<string, number>();
  for (let seed = firstSeed; seed < firstSeed + histories && wrong.length === 0; seed += 1) {
    const random = new Random(seed);
    const history = await randomHistory(random, changesEach);
    for (const [name, count] of history.calls) calls.set(name, (calls.get(name) ?? 0) + count);
    const { world, moments } = history;
    const database = await world.platform.openDatabase();
    try {
      const records = await recordsOf(database);
      for (const { time, snapshot } of moments) {
        compared += snapshot.size;
        const found = differencesOf(snapshot, snapshotFrom(await rebuildAccess(records, time)));
        wrong.push(...found.map((difference) => `seed ${seed}: ${difference}`));
      }
      const { time } = random.pick(moments);
      const later = moments.filter((moment) => moment.time >= time);
      const before = await Promise.all(
        later.map(async (moment) => deciding(await rebuildAccess(records, moment.time))),
      );
      await deleteRecordsBefore(database, time, new AbortController().signal);
      const left = await recordsOf(database);
      const after = await Promise.all(later.map(async (moment) => deciding(await rebuildAccess(left, moment.time))));
      if (JSON.stringify(after) !== JSON.stringify(before))
        wrong.push(`seed ${seed}: retention at ${time} loses access`);
    } finally {
      await database.close();
      await world.stop();
    }
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(compared).toBeGreaterThan(100 * histories);
  // Every kind of change was made.
  const never = [...calls.keys()].filter((call) => !calls.has(call.replace(/ failed$/, " ok")));
  if (histories >= 10) expect(never).toEqual([]);
});

it(`what short and merged records leave out of ${histories} random histories is unknown by name, and all else as it was`, {
  timeout: 120_000 * histories,
}, async ({ annotate }) => {
  const wrong: string[] = [];
  const forms = new Map<string, number>();
  let [compared, unknown] = [0, 0];
  for (let seed = firstSeed; seed < firstSeed + histories && wrong.length === 0; seed += 1) {
    const { world, moments } = await randomHistory(new Random(seed), changesEach, shareThatIsUsedUp);
    const database = await world.platform.openDatabase();
    try {
      const records = await recordsOf(database);
      for (const { form, changeCount } of records) {
        const key = changeCount > 1 ? `${form} of several` : form;
        forms.set(key, (forms.get(key) ?? 0) + 1);
      }
      for (const { time, snapshot } of moments) {
        const rebuilt = await rebuildAccess(records, time);
        const omitted = unknownIn(rebuilt);
        compared += snapshot.size;
        unknown += [...omitted.values()].reduce((sum, paths) => sum + paths.size, 0);
        const found = differencesOf(without(snapshot, omitted), without(snapshotFrom(rebuilt), omitted));
        wrong.push(...found.map((difference) => `seed ${seed}: ${difference}`));
      }
    } finally {
      await database.close();
      await world.stop();
    }
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  const counts = [...forms].map(([form, count]) => `${count} ${form}`).join(", ");
  await annotate(`${compared} resources compared, ${unknown} unknown fields; records: ${counts}`);
  for (const form of ["full", "short", "short of several"]) expect(forms.get(form) ?? 0).toBeGreaterThan(0);
  expect(unknown).toBeGreaterThan(0);
});

async function recordsOf(database: Database): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for await (const record of readAuditLog((work) => database.read(work), {}))
    if (record.form !== "event") records.push(record);
  return records;
}

/** What retention keeps: the values that decide access. */
function deciding(rebuilt: RebuiltAccess): readonly unknown[] {
  return [...rebuilt]
    .flatMap(([type, states]) =>
      [...states].map(([uid, { fields, isWhole, tokensEnded }]) => {
        const kept = [...fields]
          .filter(([path]) => fieldDecidesAccess(type, path))
          .toSorted(([a], [b]) => (a < b ? -1 : 1));
        return `${type} ${uid} ${JSON.stringify(kept)} ${isWhole} ${tokensEnded}`;
      }),
    )
    .toSorted();
}
