import type { Logger } from "pino";
import type { DiskReserveOptions } from "#src/platform/store/sqlite/sqlite-database.ts";

/** The space (bytes) that a SQLite platform keeps for when the disk is full: for the log of about 1,000 deletions at once. */
const size = 32 * 1024 * 1024;
/** The space (MiB) that must be free for the reserve: as much as it takes is left. */
const needed = (2 * size) / 1024 / 1024;

/** The reserve of a SQLite platform, whose changes are logged. */
export function diskReserve(log: Logger): DiskReserveOptions {
  return {
    size,
    report: (event) => {
      switch (event) {
        case "no space for the reserve":
          log.warn(
            { freeMiB: needed },
            "the disk of --data has no space for the reserve: make the volume larger, or free this much space on it; if the disk fills up, not even deletions and revocations succeed",
          );
          break;
        case "reserve released":
          log.error(
            { freeMiB: needed },
            "the disk of --data is full: only deletions and revocations are written until this much space is free",
          );
          break;
        case "reserve complete":
          log.info("the reserve of the disk is complete; all writes are admitted");
      }
    },
  };
}
