import { apiGroup, finalizer } from "#src/api/custom-resource.ts";
import { type KubeObject, keyOf } from "#src/kube/object.ts";

/** A custom resource, as the check of `muster uninstall-check` reads it. */
export interface CheckedObject extends KubeObject {
  readonly spec?: { readonly class?: string };
  readonly status?: { readonly tenant?: string };
}

/** The objects of one resource that carry our finalizer. */
export interface Guarded {
  readonly plural: string;
  readonly count: number;
  /** The first names, for people. */
  readonly examples: readonly string[];
}

const maximumExamples = 3;

/** Counts the objects of one resource that only the operator of a class can release. Its size does not depend on their number. */
export class GuardedCount {
  readonly #plural: string;
  readonly #isServed: (object: CheckedObject) => boolean;
  readonly #examples: string[] = [];
  #count = 0;

  constructor(plural: string, isServed: (object: CheckedObject) => boolean) {
    this.#plural = plural;
    this.#isServed = isServed;
  }

  add(object: CheckedObject): void {
    if (!object.metadata.finalizers?.includes(finalizer) || !this.#isServed(object)) return;
    this.#count += 1;
    if (this.#examples.length < maximumExamples) this.#examples.push(keyOf(object));
  }

  get result(): Guarded {
    return { plural: this.#plural, count: this.#count, examples: this.#examples };
  }
}

/**
 * Whether a Tenant waits for the operator of the class to let it go. Every Tenant carries the finalizer: one that is not being
 * deleted can stay until there is an operator again.
 */
export function needsOperator(operatorClass: string): (tenant: CheckedObject) => boolean {
  return ({ metadata, spec }) => metadata.deletionTimestamp !== undefined && (spec?.class ?? "") === operatorClass;
}

/**
 * Whether the operator of the class serves an object. Its status names its Tenant; without a Tenant that is known, it is the
 * operator without a class that reports on it.
 * @param classes the class of each Tenant, by name
 */
export function servesObject(
  operatorClass: string,
  classes: ReadonlyMap<string, string>,
): (object: CheckedObject) => boolean {
  return ({ status }) => (classes.get(status?.tenant ?? "") ?? "") === operatorClass;
}

/** Why the operator must not be uninstalled yet, and what to do; undefined if it can be. */
export function uninstallProblem(all: readonly Guarded[]): string | undefined {
  const guarded = all.filter(({ count }) => count > 0);
  if (guarded.length === 0) return undefined;
  const lines = guarded.map(
    ({ plural, count, examples }) =>
      `  ${plural}.${apiGroup}: ${count} (${examples.join(", ")}${count > examples.length ? ", …" : ""})`,
  );
  const objects = guarded.filter(({ plural }) => plural !== "tenants").map(({ plural }) => `${plural}.${apiGroup}`);
  const commands = [
    // One command: kubectl waits for what it deletes, and a group for what is in it, which may be of any kind.
    ...(objects.length === 0 ? [] : [`  kubectl delete ${objects.join(",")} --all --all-namespaces`]),
    // Tenants last: without its Tenant, nothing is done for an object.
    ...(objects.length === guarded.length ? [] : [`  kubectl delete tenants.${apiGroup} --all`]),
  ];
  return [
    `these objects carry the finalizer ${finalizer}, which only the operator removes, after it removed what they declare on the platform:`,
    ...lines,
    "Delete them while the operator runs, wait until they are gone, and uninstall again:",
    ...commands,
    "To keep what they declare on the platform, first set spec.policy.deletion of each to Orphan, which its Tenant must permit with allowOrphan, or, as an administrator, the annotation iam.muster.dev/abandon to true.",
  ].join("\n");
}
