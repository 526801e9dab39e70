/**
 * Waits for all of the work, whose statements are thereby sent together.
 * @returns its values, in its order
 * @throws unknown the error of the first in that order that failed, after all others have ended: a statement that is sent after
 * the work has failed would belong to the work that follows in the same transaction.
 */
export async function settleAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(work);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}
