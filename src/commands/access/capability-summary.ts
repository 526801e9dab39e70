/** More capabilities are not named. */
const named = 4;

/** Capabilities for a line of text: those that change something first, and the number of those for which there is no room. */
export function capabilitySummary(capabilities: readonly string[]): string {
  const reads = (capability: string) => Number(capability.endsWith(".list"));
  const writesFirst = capabilities.toSorted((one, other) => reads(one) - reads(other));
  const shown = writesFirst.slice(0, named).join(", ");
  const more = capabilities.length - named;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
