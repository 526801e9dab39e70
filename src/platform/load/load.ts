import { setImmediate } from "node:timers/promises";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { type Reader, statement, type Database } from "../store/database.ts";
import { DocumentError, type DocumentLocation, FieldError, LoadError } from "./load-error.ts";
import { type Change, RecordWriter } from "./record-writer.ts";
import { type LoadRecord, readRecords } from "./record.ts";
import { documentsOf, type SourceDocument, type SourceFile } from "./source-file.ts";

/** The progress of a load. Each phase reads all files. */
export interface LoadProgress {
  readonly phase: "checking" | "writing";
  readonly bytes: number;
  readonly totalBytes: number;
  readonly documents: number;
}

export interface LoadOptions {
  readonly database: Database;
  readonly files: readonly SourceFile[];
  /** The uid of the group for documents that do not name one; undefined for the root group of the platform. */
  readonly group: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Called several times a second. */
  readonly report: (progress: LoadProgress) => void;
}

/** The number of resources by kind and change. */
export type LoadResult = { readonly [K in LoadRecord["kind"]]: { readonly [O in Change]: number } };

/** The maximum number of errors in a `LoadError`. */
const maximumErrors = 20;
/** The interval at which a load reports and checks its signal (ms). */
const stride = 100;

const rootGroup = statement<object, { value: string }>((db) =>
  db.selectFrom("facts").select("value").where("name", "=", "root_group"),
);

/**
 * Loads the documents of files into the database, all or none. The files are read twice, with one document in memory at a
 * time: first all documents are checked, without a transaction, and then they are written in one transaction.
 * @throws LoadError, or the reason of the signal
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  await check(options);
  return options.database.write(async (writer) => {
    const tx = new AuthoredWriter(writer, { kind: "host", command: "platform load" }, options.now);
    const records = new RecordWriter(tx, options.group ?? (await firstRootGroup(tx)));
    const result = { Repo: noChanges(), Tag: noChanges(), Advisory: noChanges() };
    for await (const read of readAll(options, "writing")) {
      if (read instanceof DocumentError) throw new LoadError([read]);
      try {
        for (const record of read.records) result[record.kind][await records.write(record)] += 1;
      } catch (error) {
        if (!(error instanceof FieldError)) throw error;
        throw new LoadError([new DocumentError(read.location, error.field, error.message)]);
      }
    }
    return result;
  });
}

async function check(options: LoadOptions): Promise<void> {
  const errors: DocumentError[] = [];
  for await (const read of readAll(options, "checking")) {
    if (read instanceof DocumentError) errors.push(read);
    if (errors.length >= maximumErrors) break;
  }
  if (errors.length > 0) throw new LoadError(errors);
}

interface ReadDocument {
  readonly location: DocumentLocation;
  readonly records: readonly LoadRecord[];
}

/** Reads the documents of all files, and yields to the event loop at intervals. */
async function* readAll(
  { files, signal, report }: LoadOptions,
  phase: LoadProgress["phase"],
): AsyncGenerator<ReadDocument | DocumentError> {
  const totalBytes = files.reduce((sum, file) => sum + file.bytes, 0);
  let [bytes, documents, last] = [0, 0, performance.now()];
  const reportNow = () => report({ phase, bytes, totalBytes, documents });
  for (const file of files)
    for (const document of documentsOf(file, (read) => (bytes += read))) {
      documents += 1;
      yield document instanceof DocumentError ? document : recordsOf(document);
      if (performance.now() - last < stride) continue;
      reportNow();
      await setImmediate();
      signal.throwIfAborted();
      last = performance.now();
    }
  reportNow();
}

function recordsOf(document: SourceDocument): ReadDocument | DocumentError {
  try {
    return { location: document.location, records: readRecords(document) };
  } catch (error) {
    if (error instanceof DocumentError) return error;
    throw error;
  }
}

async function firstRootGroup(reader: Reader): Promise<string> {
  const fact = await reader.first(rootGroup, {});
  if (fact === undefined) throw new Error("the data has no root group: start the platform on it once");
  return fact.value;
}

function noChanges(): Record<Change, number> {
  return { created: 0, updated: 0, unchanged: 0 };
}
