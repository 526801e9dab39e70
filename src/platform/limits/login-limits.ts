import type { Limit } from "./limit.ts";

/** What logins that are not complete may cost. The order is that of the documentation. */
export const loginLimits = {
  deviceCodes: {
    what: "Codes of devices whose logins are not complete, which addresses share",
    value: 5_000,
    unit: "items",
  },
  authorizationCodes: {
    what: "Authorization codes of the last minute, which addresses share",
    value: 5_000,
    unit: "items",
  },
  wrongCodes: {
    what: "Wrong invite codes and device codes from one address in 10 minutes, on each replica",
    value: 20,
    unit: "items",
  },
  providers: { what: "Identity providers that a login offers to choose from", value: 20, unit: "items" },
  loginState: { what: "`state` of a login", value: 512, unit: "characters" },
} as const satisfies Readonly<Record<string, Limit>>;
