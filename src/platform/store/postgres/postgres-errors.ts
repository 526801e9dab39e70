import { DatabaseError } from "pg";

/** The transaction collided with another one; nothing of it is kept, and it may succeed when it is run again. */
export function isSerializationFailure(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === "40001" || error.code === "40P01");
}

/**
 * Whether the connection is of no use any more, rather than one statement wrong: it broke, or the database ended it
 * (08 connection exception, 57P operator intervention, 25P03 idle in transaction).
 */
export function connectionLost(error: unknown): boolean {
  if (error === undefined) return false;
  if (!(error instanceof DatabaseError)) return true;
  const { code = "" } = error;
  return code.startsWith("08") || code.startsWith("57P") || code === "25P03";
}
