import type { Abuser } from "./abuser/abuser.ts";

/** Abuses the platform until the signal is aborted. */
export type Abuse = (signal: AbortSignal) => Promise<void>;

/** A way in which a caller can try to deny service to others. */
export interface AbuseKind {
  readonly name: string;
  /** One line for people. */
  readonly what: string;
  /** Creates what the abuse needs, in the abuser's tenant. */
  readonly prepare: (abuser: Abuser) => Promise<Abuse> | Abuse;
}
