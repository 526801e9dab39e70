/** More capabilities are not named. */
const namedCapabilities = 4;

/** Capabilities on one line, by their dotted names: those that change something first, and only a few of them. */
export function capabilitySummary(capabilities: readonly string[]): string {
  const reads = (capability: string) => Number(capability.endsWith(".list"));
  const writesFirst = capabilities.toSorted((one, other) => reads(one) - reads(other));
  const shown = writesFirst.slice(0, namedCapabilities).join(", ");
  const more = capabilities.length - namedCapabilities;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
