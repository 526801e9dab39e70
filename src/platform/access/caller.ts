import type { Capability } from "../gen/muster/capabilities/capabilities_pb.ts";

/**
 * Who calls. The admin is not an identity: it is whoever holds the platform's admin token, and may do everything
 * everywhere, so that no change of a binding can lock the host of a platform out.
 */
export type Caller =
  | { readonly kind: "admin" }
  | {
      readonly kind: "identity";
      readonly uid: string;
      readonly downscoping: Downscoping;
      /** Whom the token speaks for; undefined where it does not say. */
      readonly actor: Actor | undefined;
    };

/** The incoming token that an API token was given for: RFC 8693's actor. */
export interface Actor {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
}

/** What a token holds at most, whatever its identity's bindings give. */
export interface Downscoping {
  /** These capabilities only; all, where undefined. */
  readonly capabilities: ReadonlySet<Capability> | undefined;
  /** In these groups and below them only; everywhere, where undefined. */
  readonly groups: readonly string[] | undefined;
}

export const notDownscoped: Downscoping = { capabilities: undefined, groups: undefined };
