import type { Limit } from "./limit.ts";

/** What a caller may create where no group has a limit of its own. */
export interface Quota {
  /** Resources below a root group. */
  readonly resources: number;
  /** Role bindings of one identity. */
  readonly roleBindingsPerIdentity: number;
}

/** The defaults of the quota. A group's `resourceLimits` take their place. */
export const quotaLimits = {
  resources: {
    what: "Resources below a root group, unless its `resourceLimits` have `resources`",
    value: 100_000,
    unit: "items",
    setting: "--maximum-resources",
  },
  roleBindingsPerIdentity: {
    what: "Role bindings of an identity, unless the `resourceLimits` of a group above it have `roleBindingsPerIdentity`",
    value: 1_000,
    unit: "items",
    setting: "--maximum-role-bindings",
  },
} as const satisfies Readonly<Record<keyof Quota, Limit>>;
