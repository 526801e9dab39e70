import type { AccessState } from "./access-state.ts";

/** Milliseconds since the epoch. */
export const now = Date.parse("2026-01-31T12:00:00Z");
/** The last part of a uid. */
export const segment = (digit: string) => digit.repeat(16);
/** An organization, a group in it, and one in that. */
export const root = "a".repeat(40);
export const shop = `${root}/${segment("1")}`;
export const web = `${shop}/${segment("2")}`;
/** A role of the organization. */
export const custom = { uid: `${root}/${segment("d")}`, name: "custom" };

/** What is read of a platform that has nothing but what `given` says, by somebody who sees everything. */
export const accessState = (given: Partial<AccessState>): AccessState => ({
  groups: [],
  identities: [],
  roles: [],
  bindings: [],
  loginGrants: [],
  seesEverything: true,
  ...given,
});
