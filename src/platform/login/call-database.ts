import type { CallSlot } from "../service/call-slots.ts";
import type { Database, Reader, WritePriority, Writer } from "../store/database.ts";

/** The database as one call uses it: its work has the shares of the call. */
export interface CallDatabase {
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  write<T>(work: (writer: Writer) => Promise<T>, shares?: undefined, priority?: WritePriority): Promise<T>;
}

/**
 * The database for the call that has the slot. Its work waits at the expense of whom the slot is taken for, so that many logins
 * from one address delay neither those from others nor the work of the platform itself.
 */
export function callDatabase(database: Database, slot: CallSlot): CallDatabase {
  return {
    read: (work) => database.read(work, slot.shares),
    write: (work, _, priority) => database.write(work, slot.shares, priority),
  };
}
