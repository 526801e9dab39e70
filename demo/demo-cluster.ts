import type { Cluster } from "#test/support/harness/cluster.ts";

/** The Kubernetes that the demo uses. */
export interface DemoCluster {
  readonly cluster: Cluster;
  /** A description for the screen. */
  readonly title: string;
  /** The namespace of the examples. */
  readonly namespace: string;
  readonly operatorNamespace: string;
  /** The prefix of the names of cluster-scoped objects. */
  readonly prefix: string;
  /** The shell commands that give kubectl access, for another terminal. */
  readonly kubeconfigCommands: readonly string[];
  /** The start of each `kubectl` command on the screen. */
  readonly kubectl: string;
  /**
   * The number of a service account's writes to Muster objects, counted by the API server; undefined if it does not
   * count.
   */
  writesBy(serviceAccount: string): Promise<number | undefined>;
  /** Removes everything that the demo created. @throws {Error} that names what is left and how to remove it */
  cleanUp(): Promise<void>;
}
