import type { Abuser } from "./abuser/abuser.ts";

/** Abuses the platform until the signal is aborted. */
export type Abuse = (signal: AbortSignal) => Promise<void>;

/** A way in which a caller can try to deny service to others. */
export interface AbuseKind {
  readonly name: string;
  /** One line for people. */
  readonly what: string;
  /** The memory limit of the platform's cgroup in MiB, of which its heap has half, as in a container; by default it has no cgroup. */
  readonly memoryMiB?: number;
  /** Settings of the platform, in addition to those of all kinds. */
  readonly flags?: readonly string[];
  /** Whether the platform serves TLS. */
  readonly tls?: boolean;
  /** Creates what the abuse needs, in the abuser's tenant. */
  readonly prepare: (abuser: Abuser) => Promise<Abuse> | Abuse;
}
