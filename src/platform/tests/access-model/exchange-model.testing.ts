import type { Capability } from "#src/platform/authorization/capability.ts";
import { Code } from "#src/platform/errors/api-error.ts";
import { pathOf, type Place, type TokenHolder, type World } from "./world.testing.ts";

/** The code that the token exchange must return: 0 for a token. */
export function expectedExchangeCode({ identities }: World, { identity, downscopes }: TokenHolder): 0 | Code {
  const found = identities.find((candidate) => candidate === identity);
  if (found === undefined || found.expired) return Code.permissionDenied;
  // A refresh can only downscope: its parameters must be within those of the exchange and of all earlier refreshes.
  const widens = downscopes.some(({ capabilities: wanted = [], scopes = [] }, index) =>
    downscopes.slice(0, index).some((before) => {
      const isNamed = (capability: Capability) => before.capabilities?.includes(capability) ?? true;
      const isWithin = (place: Place) => before.scopes?.some((scope) => pathOf(place).includes(scope)) ?? true;
      return !wanted.every(isNamed) || !scopes.every(isWithin);
    }),
  );
  return widens ? Code.permissionDenied : 0;
}
