import type { Cluster } from "#test/support/harness/cluster.ts";

/** The Kubernetes that the demo plays on. */
export interface DemoCluster {
  readonly cluster: Cluster;
  /** What it is, for people. */
  readonly title: string;
  /** Where the examples are applied. */
  readonly namespace: string;
  readonly operatorNamespace: string;
  /** Before the names of what is made for the whole cluster. */
  readonly prefix: string;
  /** How a person gets at it: shell commands for another terminal. */
  readonly kubeconfigCommands: readonly string[];
  /** What goes before each `kubectl` command that is shown. */
  readonly kubectl: string;
  /** How often a service account has changed Muster objects, as the API server itself counts; undefined if it tells nobody. */
  writesBy(serviceAccount: string): Promise<number | undefined>;
  /** Everything that the demo made is gone. @throws with what is left, and how to remove it */
  cleanUp(): Promise<void>;
}
