import type { LookupAddress } from "node:dns";
import type { promises } from "node:dns";
import { setTimeout as wait } from "node:timers/promises";

/**
 * How long the addresses of one family wait for those of the other (ms). Some name servers never respond to a query for IPv6
 * addresses (RFC 8305, 3).
 */
const otherFamilyTime = 200;

/** What the name servers say about a name. */
export interface Answer {
  readonly addresses: readonly LookupAddress[];
  /** Why a query for the addresses of a family failed; undefined if both have a response. A name may have no addresses. */
  readonly failure: NodeJS.ErrnoException | undefined;
}

/**
 * Asks the name servers for the IPv4 and the IPv6 addresses of a name. It never throws, and ends when the resolver is
 * canceled. The name servers follow aliases (CNAME).
 */
export async function queryAddresses(resolver: promises.Resolver, name: string): Promise<Answer> {
  const answers: Answer[] = [];
  const stopWaiting = new AbortController();
  const queries = [query(resolver.resolve4(name), 4), query(resolver.resolve6(name), 6)];
  const all = Promise.all(queries.map(async (one) => answers.push(await one)));
  const some = Promise.any(queries.map(rejectIfEmpty)).then(() =>
    wait(otherFamilyTime, undefined, { signal: stopWaiting.signal }),
  );
  // Without an address of either family, all of the responses count.
  await Promise.race([all, some.catch(() => all)]);
  stopWaiting.abort();
  return {
    addresses: answers.flatMap(({ addresses }) => addresses),
    failure: answers.find(({ failure }) => failure !== undefined)?.failure,
  };
}

async function query(addresses: Promise<string[]>, family: 4 | 6): Promise<Answer> {
  try {
    return { addresses: (await addresses).map((address) => ({ address, family })), failure: undefined };
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    // The name does not exist, or has no address of this family.
    const isResponse = failure.code === "ENOTFOUND" || failure.code === "ENODATA";
    return { addresses: [], failure: isResponse ? undefined : failure };
  }
}

async function rejectIfEmpty(answer: Promise<Answer>): Promise<void> {
  if ((await answer).addresses.length === 0) throw new Error("no address");
}
