import { setImmediate } from "node:timers/promises";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { type Reader, statement, type Database } from "../store/database.ts";
import { FieldError } from "./field-error.ts";
import { DocumentError, LoadError, type Place } from "./load-error.ts";
import { type Change, RecordPlacer } from "./place-records.ts";
import { type LoadRecord, readRecords } from "./record.ts";
import { documentsOf, type SourceDocument, type SourceFile } from "./source-file.ts";

/** How far a load is; bytes are those of all files, read in each phase. */
export interface LoadProgress {
  readonly phase: "checking" | "writing";
  readonly bytes: number;
  readonly totalBytes: number;
  readonly documents: number;
}

export interface LoadOptions {
  readonly database: Database;
  readonly files: readonly SourceFile[];
  /** Where documents go that name no group: a uid. */
  readonly group: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Told some times a second. */
  readonly report: (progress: LoadProgress) => void;
}

/** How many resources of each kind came to what. */
export type LoadResult = { readonly [K in LoadRecord["kind"]]: { readonly [O in Change]: number } };

/** So many mistakes are told at once. */
const maximumMistakes = 20;
/** Between two looks at the signal and the terminal, in milliseconds. */
const stride = 100;

const rootGroup = statement<object, { value: string }>((db) =>
  db.selectFrom("facts").select("value").where("name", "=", "root_group"),
);

/**
 * Fills the database with what files say, all of it or nothing. The files are read twice, one document in memory at a
 * time: first all of them are judged, which holds nobody up, then they are written in one transaction.
 * @throws LoadRefused; whatever the signal was aborted with
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  await check(options);
  return options.database.write(async (writer) => {
    const tx = new AuthoredWriter(writer, { kind: "host", command: "platform load" }, options.now);
    const placer = new RecordPlacer(tx, options.group ?? (await firstRootGroup(tx)));
    const result = { Repo: noOutcome(), Tag: noOutcome(), Advisory: noOutcome() };
    for await (const read of readAll(options, "writing")) {
      if (read instanceof DocumentError) throw new LoadError([read]);
      try {
        for (const record of read.records) result[record.kind][await placer.place(record)] += 1;
      } catch (error) {
        if (!(error instanceof FieldError)) throw error;
        throw new LoadError([new DocumentError(read.place, error.field, error.message)]);
      }
    }
    return result;
  });
}

async function check(options: LoadOptions): Promise<void> {
  const mistakes: DocumentError[] = [];
  for await (const read of readAll(options, "checking")) {
    if (read instanceof DocumentError) mistakes.push(read);
    if (mistakes.length >= maximumMistakes) break;
  }
  if (mistakes.length > 0) throw new LoadError(mistakes);
}

interface ReadDocument {
  readonly place: Place;
  readonly records: readonly LoadRecord[];
}

/** Now and then lets signals and the terminal have their turn. */
async function* readAll(
  { files, signal, report }: LoadOptions,
  phase: LoadProgress["phase"],
): AsyncGenerator<ReadDocument | DocumentError> {
  const totalBytes = files.reduce((sum, file) => sum + file.bytes, 0);
  let [bytes, documents, last] = [0, 0, performance.now()];
  const tell = () => report({ phase, bytes, totalBytes, documents });
  for (const file of files)
    for (const document of documentsOf(file, (read) => (bytes += read))) {
      documents += 1;
      yield document instanceof DocumentError ? document : recordsOf(document);
      if (performance.now() - last < stride) continue;
      tell();
      await setImmediate();
      signal.throwIfAborted();
      last = performance.now();
    }
  tell();
}

function recordsOf(document: SourceDocument): ReadDocument | DocumentError {
  try {
    return { place: document.place, records: readRecords(document) };
  } catch (error) {
    if (error instanceof DocumentError) return error;
    throw error;
  }
}

async function firstRootGroup(reader: Reader): Promise<string> {
  const fact = await reader.first(rootGroup, {});
  if (fact === undefined) throw new Error("the data has no root group yet: start the platform on it once");
  return fact.value;
}

function noOutcome(): Record<Change, number> {
  return { created: 0, updated: 0, unchanged: 0 };
}
