import { fdatasyncSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { CheckpointFile } from "./checkpointer.ts";

// The thread of a `Checkpointer`: each message asks for a checkpoint, and is answered once few pages are left to copy.

const { path, descriptor } = workerData as CheckpointFile;
/** As briefly as another connection holds the lock of checkpoints. */
const busyTimeout = 1_000;

const database = new DatabaseSync(path, { timeout: busyTimeout });
// A checkpoint copies pages from the log to the file, past the cache.
database.exec("pragma synchronous = full; pragma cache_size = -256");
// Passive: it copies what no reader needs as it was, and waits for nobody.
const checkpoint = database.prepare("pragma wal_checkpoint(passive)");

/** So few pages are copied by the thread that writes in some milliseconds. */
const few = 500;
/** While commits add pages as fast as they are copied, each pass leaves as many as the one before it. */
const maximumPasses = 8;

/**
 * Copies until few pages are left: those that commits have added meanwhile. SQLite syncs the file only when it has copied all of the
 * log, and whoever copies the last pages waits for the sync of all of them.
 */
function copyMost(): void {
  let before = 0;
  for (let pass = 0; pass < maximumPasses; pass++) {
    const copied = Number(checkpoint.get()?.["checkpointed"]);
    fdatasyncSync(descriptor);
    if (copied - before < few) return;
    before = copied;
  }
}

parentPort?.on("message", (message: "checkpoint" | "close") => {
  if (message === "close") {
    database.close();
    parentPort?.close();
    return;
  }
  copyMost();
  parentPort?.postMessage("copied");
});
