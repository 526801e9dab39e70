import type { Limit } from "./limit.ts";

/** How many root groups identities may create if everybody may. Each has a quota, and a share of the audit log, of its own. */
export const rootGroupLimits = {
  ofCreator: {
    what: "Root groups that an identity creates in a day (UTC), with those that identities in its root groups create",
    value: 10,
    unit: "items",
  },
  ofRootGroup: {
    what: "Root groups that all identities of a root group create in a day (UTC), likewise",
    value: 100,
    unit: "items",
  },
} as const satisfies Readonly<Record<string, Limit>>;
