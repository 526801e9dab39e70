/**
 * Waits for all of the work, whose statements are thereby sent together.
 * @returns its values, in its order
 * @throws unknown the error of the first in that order that failed, after all others have ended: a statement that is sent after
 * the work has failed would belong to the work that follows in the same transaction.
 */
export async function settleAll<const W extends readonly Promise<unknown>[]>(
  work: W,
): Promise<{ -readonly [K in keyof W]: Awaited<W[K]> }> {
  const results = await Promise.allSettled(work);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  }) as { -readonly [K in keyof W]: Awaited<W[K]> };
}
