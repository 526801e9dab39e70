import type { Limit } from "./limit.ts";

/** What a caller may create where no group has a limit of its own. */
export interface Quota {
  /** Resources below a root group. */
  readonly resources: number;
  /** Role bindings of one identity. */
  readonly roleBindingsPerIdentity: number;
  /** Bytes of the audit records of changes in a root group, a day, until they are recorded in short form. */
  readonly auditBytes: number;
}

/** The parts of a day's share of audit records (bytes), each of which contains those before it. */
export interface AuditShares {
  /** Changes are recorded in full. */
  readonly full: number;
  /** Changes are recorded in short form, which is enough for several times as many as in full; above it, they are refused. */
  readonly all: number;
  /** Revocations of tokens are made and recorded, so that access can be taken away by those who cannot change anything else. */
  readonly withRevocations: number;
}

export function auditSharesOf({ auditBytes: full }: Quota): AuditShares {
  return {
    full,
    all: full + Math.floor(full / 2),
    withRevocations: full + Math.floor(full / 2) + Math.floor(full / 8),
  };
}

const mebibyte = 1024 * 1024;

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
  // 100,000 resources can be created in a day, each with a full record of about 1 KiB, and more than that again in short form.
  auditBytes: {
    what: "Audit records of the changes in a root group in a day (UTC), in full; half as much again in short form, then changes other than deletions are refused",
    value: 128 * mebibyte,
    unit: "bytes",
    setting: "--maximum-audit-bytes",
  },
} as const satisfies Readonly<Record<keyof Quota, Limit>>;
