import type { MonotonicTime } from "#src/time/clock.ts";

/** Identifies what a Secret contains, which is not part of it. */
export interface SecretVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What a read of a Secret showed. The value is not part of it. */
export type SecretRead =
  | {
      readonly is: "missing";
      readonly readAt: MonotonicTime;
      /** Whether a trial write showed that only the Secret is missing, and not the right to write it. */
      readonly writable: boolean;
    }
  | ({
      readonly is: "found";
      readonly readAt: MonotonicTime;
      /** The issuer that the annotation names; empty if it names none. */
      readonly issuer: string;
      /** Why the value cannot be sent; null if it can. */
      readonly unusable: "noKey" | "empty" | "tooLong" | "notText" | null;
      /** Whether it has no value at all. */
      readonly isEmpty: boolean;
      /** The uid of the resource whose code it contains, as it says itself; null if it says none. */
      readonly issuedUid: string | null;
      /** Whether a trial write of this version was accepted. */
      readonly writable: boolean;
    } & SecretVersion);
