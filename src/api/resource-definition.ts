import type { z } from "zod";

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly jsonPath: string;
  readonly description: string;
}

/** The Kubernetes side of a kind, from which its CustomResourceDefinition and its reference documentation are generated. */
export interface ResourceDefinition<Kind extends string = string, Spec = unknown> {
  readonly kind: Kind;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly specSchema: z.ZodType<Spec>;
  /** Written by the operator only. */
  readonly statusSchema: z.ZodType;
  /** Columns that only this kind has, shown after the name. Short: `kubectl get` should fit into 80 columns. */
  readonly columns: readonly PrinterColumn[];
  /** Columns that only this kind has, shown with `-o wide`. */
  readonly wideColumns: readonly PrinterColumn[];
}
