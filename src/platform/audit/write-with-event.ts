import type { Database, WritePriority, Writer } from "../store/database.ts";
import type { Share } from "../shares/share.ts";
import { insertEvent } from "./audit-log.ts";
import type { SecurityEvent, WaitingEvent } from "./security-event.ts";
import type { SecurityLog } from "./security-log.ts";

/** Records the event of a transaction in it, if the security log admits the event. */
export type RecordEvent = (event: SecurityEvent) => Promise<void>;

/**
 * Runs a write that can record one event in its transaction: the event is recorded if the write is, and logged after that. The
 * database may run the work again from its start; the event counts once against what the security log admits.
 */
export async function writeWithEvent<T>(
  database: Pick<Database, "write">,
  securityLog: SecurityLog,
  work: (tx: Writer, record: RecordEvent) => Promise<T>,
  shares?: readonly Share[],
  priority?: WritePriority,
): Promise<T> {
  let judged: { readonly waiting: WaitingEvent | undefined } | undefined;
  let recorded: WaitingEvent | undefined;
  const result = await database.write(
    (tx) => {
      recorded = undefined;
      return work(tx, async (event) => {
        judged ??= { waiting: securityLog.admit(event) };
        if (judged.waiting === undefined) return;
        recorded = { ...judged.waiting, event };
        await insertEvent(tx, recorded);
      });
    },
    shares,
    priority,
  );
  if (recorded !== undefined) securityLog.report(recorded);
  return result;
}
