import { dottedName } from "./dotted-name.ts";
import { Capability, CapabilitySchema } from "../gen/muster/capabilities/capabilities_pb.ts";

export { Capability };

export const allCapabilities: readonly Capability[] = CapabilitySchema.values
  .map(({ number }) => number as Capability)
  .filter((capability) => capability !== Capability.UNKNOWN);

const dottedNames = new Map(
  allCapabilities.map((capability) => [capability, dottedName(CapabilitySchema.value[capability]?.name ?? "")]),
);
const byDottedName = new Map([...dottedNames].map(([capability, name]) => [name, capability]));

/** The name, or the number of a capability that this platform does not know, that v1, the token exchange and error messages use. */
export function dottedNameOf(capability: Capability): string {
  return dottedNames.get(capability) ?? String(capability);
}

/** Whether this platform knows the capability. One that it does not know grants nothing. */
export function isKnown(capability: Capability): boolean {
  return dottedNames.has(capability);
}

export function capabilityNamed(name: string): Capability | undefined {
  return byDottedName.get(name);
}
