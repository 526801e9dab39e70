import type { Capability } from "../gen/muster/capabilities/capabilities_pb.ts";
import type { TokenStamp } from "./security-stamp.ts";

/** The holder of an admin token. */
export interface Admin {
  readonly kind: "admin";
  /** The person or program that the token was created for; absent for the token for emergencies. */
  readonly name?: string;
}

/**
 * The authenticated caller. The admin is not an identity: it is the holder of an admin token and has all capabilities
 * everywhere, so that no change of a binding can lock out the operators of the platform.
 */
export type Caller =
  | Admin
  | {
      readonly kind: "identity";
      readonly uid: string;
      readonly stamp: TokenStamp;
      readonly downscoping: Downscoping;
      /** The issuer and subject on whose behalf the token was issued; undefined if the token does not say. */
      readonly actor: Actor | undefined;
    };

/** The subject token that was exchanged for the API token, as in the `act` claim of RFC 8693. */
export interface Actor {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
}

/** The limits of a token, whatever its identity's bindings grant. */
export interface Downscoping {
  /** The only capabilities that the token has; undefined for no limit. */
  readonly capabilities: ReadonlySet<Capability> | undefined;
  /** The groups in which, and below which, the token is valid; undefined for no limit. */
  readonly groups: readonly string[] | undefined;
}

export const notDownscoped: Downscoping = { capabilities: undefined, groups: undefined };
