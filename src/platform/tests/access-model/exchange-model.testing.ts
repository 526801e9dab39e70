import type { Capability } from "#src/platform/access/capability.ts";
import { Code } from "#src/platform/errors/api-error.ts";
import { pathOf, type Place, type TokenHolder, type World } from "./world.testing.ts";

/** What the token exchange must answer: a token, or a refusal. */
export function exchangeAnswerOf({ identities }: World, { identity, narrowings }: TokenHolder): 0 | Code {
  const found = identities.find((one) => one === identity);
  if (found === undefined || found.expired) return Code.permissionDenied;
  // A refresh may only narrow: what is asked for must be within all that was asked for before.
  const widens = narrowings.some(({ capabilities: wanted = [], scopes = [] }, index) =>
    narrowings.slice(0, index).some((before) => {
      const isNamed = (capability: Capability) => before.capabilities?.includes(capability) ?? true;
      const isWithin = (place: Place) => before.scopes?.some((scope) => pathOf(place).includes(scope)) ?? true;
      return !wanted.every(isNamed) || !scopes.every(isWithin);
    }),
  );
  return widens ? Code.permissionDenied : 0;
}
