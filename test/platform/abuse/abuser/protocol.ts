import type { Tenants } from "../tenants.ts";

/** What the abuser's process is asked to do. */
export type AbuserRequest =
  | {
      readonly type: "prepare";
      /** The name of the kind. */
      readonly kind: string;
      /** The platform: `http://127.0.0.1:8080` */
      readonly origin: string;
      readonly tenants: Tenants;
    }
  | { readonly type: "abuse" }
  | { readonly type: "end" };

/** What the abuser's process reports. */
export type AbuserMessage =
  | { readonly type: "issuers"; readonly urls: readonly string[]; readonly certificate: string }
  | { readonly type: "prepared" }
  | ({ readonly type: "tally" } & Tally);

/** What the abuse came to. */
export interface Tally {
  /** What the abuser got: HTTP statuses, gRPC codes and errors of connections, with the number of each. */
  readonly counts: Readonly<Record<string, number>>;
  /** The CPU time of the abuser's process, since the abuse began (ms). */
  readonly cpuMilliseconds: number;
}
