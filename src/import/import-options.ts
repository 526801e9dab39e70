import type { ClusterObjects } from "./declared-resources.ts";
import type { EarlierNames } from "./import-files.ts";

export interface ImportOptions {
  /** The namespace of the objects, and the name of the Tenant. */
  readonly namespace: string;
  /** The class of the operator that is to serve the Tenant; undefined: none. */
  readonly operatorClass: string | undefined;
  /** Whether the objects take the resources over; otherwise they only observe. */
  readonly adopt: boolean;
  /** The hashes of the owner whose markers are no obstacle, as `ownerHash` returns them. */
  readonly owners: readonly string[];
  /** The uids of identities that are never adopted, nor are their role bindings. */
  readonly breakGlass: readonly string[];
  /** The uids of identity providers that have no client secret: PKCE alone protects the login. */
  readonly withoutSecret: readonly string[];
  /** The issuer of the cluster's service-account tokens; undefined if it is not known. */
  readonly clusterIssuer: string | undefined;
  /** Issuers at which anybody can have an account, in addition to the built-in list. */
  readonly publicIssuers: readonly string[];
  /** The names of the objects of an earlier import, by kind, which they keep. */
  readonly earlierNames: EarlierNames;
  /** What objects declare already; empty if no cluster was read. */
  readonly cluster: readonly ClusterObjects[];
}
