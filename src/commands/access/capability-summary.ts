import { shortList } from "#src/text/short-list.ts";

/** More capabilities are not named where only the kind of a role matters. */
const namedCapabilities = 4;

/**
 * Capabilities on one line, by their dotted names: those that change something first.
 * @param named how many are named; by default, only a few of them
 */
export function capabilitySummary(capabilities: readonly string[], named = namedCapabilities): string {
  const reads = (capability: string) => Number(capability.endsWith(".list"));
  const writesFirst = capabilities.toSorted((one, other) => reads(one) - reads(other));
  return shortList(writesFirst, named);
}
