import { DatabaseError } from "pg";

/** Whether the transaction conflicted with another one. Nothing of it was kept, and a retry may succeed. */
export function isSerializationFailure(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === "40001" || error.code === "40P01");
}

/**
 * Whether the connection is unusable, as opposed to a single failed statement: it broke, the database closed it
 * (08 connection exception, 57P operator intervention, 25P03 idle in transaction), or the server does not accept writes (25006).
 */
export function connectionLost(error: unknown): boolean {
  if (error === undefined) return false;
  if (!(error instanceof DatabaseError)) return true;
  const { code = "" } = error;
  return code.startsWith("08") || code.startsWith("57P") || code === "25P03" || code === "25006";
}

/** Whether the server lacks what a statement needs, such as space on its disk (53100) or memory (53200). Nothing of the write was kept. */
export function hasNoSpace(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === "53100" || error.code === "53200");
}
