import { resourceKindOf } from "#src/api/resource-kind.ts";
import type { CommandContext } from "#src/commands/command.ts";
import { visibleText } from "#src/commands/output/visible-text.ts";
import { forEachObject } from "#src/commands/reader/for-each-object.ts";
import { type OptionalClusterValues, readOptionalCluster } from "#src/commands/reader/optional-cluster.ts";
import { type ObjectLimit, requireFewObjects } from "#src/commands/reader/object-limit.ts";
import type { ReadBudget } from "#src/commands/reader/read-budget.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { KubeApi } from "#src/kube/api.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { appliedRevisions, argoCdApplications, fluxKustomizations } from "./applied-revisions.ts";

/** The Kubernetes object that declares something on the platform. */
export interface Declaration {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** When the grant ends, if the object says so: RFC 3339. */
  readonly expiresAt?: string;
  /** The Argo CD Application that the object belongs to. */
  readonly argoCdApplication?: string;
  /** The Flux Kustomization that the object belongs to: namespace/name. */
  readonly fluxKustomization?: string;
  /** The revision of the repository that the Application or Kustomization applied last, if that can be read. */
  readonly revision?: string;
}

/** Which object declares a uid, if a cluster was read. If not, some may still be known, and nothing is undeclared. */
export type Declarations =
  | { readonly read: true; readonly of: ReadonlyMap<string, Declaration> }
  | { readonly read: false; readonly reason: string; readonly of?: ReadonlyMap<string, Declaration> };

/** What the objects say of themselves: the uid is that of the resource on the platform. */
interface DeclaringObject extends KubeObject {
  readonly spec?: { readonly expiresAt?: unknown; readonly policy?: { readonly management?: unknown } };
  readonly status?: { readonly uid?: unknown; readonly expiresAt?: unknown };
}

/**
 * Reads which objects of a cluster declare groups, identities and role bindings. Without a cluster, or if it cannot be read,
 * that is unknown.
 * @throws {KubeConfigError} if the settings name a cluster to which no connection can be configured
 * @throws {TooMuchToRead}
 */
export async function readDeclarations(
  kinds: readonly Kind[],
  values: OptionalClusterValues & Pick<ObjectLimit, "maxObjects">,
  context: Pick<CommandContext, "env" | "signal">,
  budget: ReadBudget,
): Promise<Declarations> {
  const limit = { ...values, narrow: "read no cluster with --no-cluster" };
  const resources = declaring(kinds).map(({ definition }) => resourceKindOf(definition));
  const reading = await readOptionalCluster(values, context, kinds.length, async (kube) => {
    await requireFewObjects(kube, resources, limit, context.signal);
    return declarationsIn(budget.cluster(kube), kinds, context.signal);
  });
  return reading.read ? { read: true, of: reading.value } : reading;
}

/**
 * The declarations of all kinds, by the uid of what they declare.
 * @throws {Error} if the cluster knows none of the kinds: it is probably not the one that declares anything
 */
export async function declarationsIn(
  kube: Pick<KubeApi, "list">,
  kinds: readonly Kind[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Declaration>> {
  const found = new FoundDeclarations(kinds);
  const resources = found.kinds.map(({ definition }) => resourceKindOf(definition));
  await forEachObject(kube, resources, ({ kind }, object) => found.note(kind, object), signal);
  return withRevisions(kube, found.all, signal);
}

/** Adds the revisions that were applied last. What deploys nothing is not read. */
async function withRevisions(
  kube: Pick<KubeApi, "list">,
  found: ReadonlyMap<string, Declaration>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Declaration>> {
  const all = [...found.values()];
  const none: ReadonlyMap<string, string | undefined> = new Map();
  const [argoCd, flux] = await Promise.all([
    all.some(({ argoCdApplication }) => argoCdApplication !== undefined)
      ? appliedRevisions(kube, argoCdApplications, signal)
      : none,
    all.some(({ fluxKustomization }) => fluxKustomization !== undefined)
      ? appliedRevisions(kube, fluxKustomizations, signal)
      : none,
  ]);
  const applications = byApplicationName(argoCd);
  const revisionOf = ({ argoCdApplication, fluxKustomization }: Declaration) =>
    applications.get(argoCdApplication ?? "") ?? flux.get(fluxKustomization ?? "");
  return new Map(
    [...found].map(([uid, declaration]) => {
      const revision = revisionOf(declaration);
      return [uid, revision === undefined ? declaration : { ...declaration, revision }];
    }),
  );
}

/**
 * Objects name an Application of Argo CD's own namespace by its name, and others by NAMESPACE_NAME. A name that several
 * Applications have says nothing.
 */
function byApplicationName(
  revisions: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string, string | undefined> {
  const named = Map.groupBy(revisions, ([key]) => key.slice(key.indexOf("/") + 1));
  const unique = [...named].flatMap(([name, [first, ...more]]): readonly [string, string | undefined][] =>
    first === undefined || more.length > 0 ? [] : [[name, first[1]]],
  );
  const qualified = [...revisions].map(([key, revision]): [string, string | undefined] => [
    key.replace("/", "_"),
    revision,
  ]);
  return new Map([...unique, ...qualified]);
}

/** What objects in memory declare. If several manage the same, the last one counts. */
export function declarationsOf(
  objects: Iterable<KubeObject>,
  { isWholeCluster, kinds }: { readonly isWholeCluster: boolean; readonly kinds: readonly Kind[] },
): Declarations {
  const found = new FoundDeclarations(kinds);
  for (const object of objects) found.note(object.kind, object);
  return isWholeCluster
    ? { read: true, of: found.all }
    : { read: false, reason: "other objects may declare more", of: found.all };
}

/** Those whose resources have a uid of their own: that of a singleton means its group. */
function declaring(kinds: readonly Kind[]): readonly Kind[] {
  return kinds.filter(({ collection }) => !collection.uids.isSingleton);
}

/** Which object declares a uid: one that manages it, or else one that only observes it. */
class FoundDeclarations {
  readonly kinds: readonly Kind[];
  readonly #names: ReadonlySet<string>;
  readonly #managing = new Map<string, Declaration>();
  readonly #observing = new Map<string, Declaration>();

  constructor(kinds: readonly Kind[]) {
    this.kinds = declaring(kinds);
    this.#names = new Set(this.kinds.map(({ name }) => name));
  }

  /** Notes what the object declares, if it declares something. */
  note(kind: string, object: DeclaringObject): void {
    const uid = object.status?.uid;
    if (typeof uid !== "string" || !this.#names.has(kind)) return;
    const isObserving = object.spec?.policy?.management === "Observe";
    (isObserving ? this.#observing : this.#managing).set(uid, declarationOf(kind, object));
  }

  get all(): ReadonlyMap<string, Declaration> {
    return new Map([...this.#observing, ...this.#managing]);
  }
}

function declarationOf(kind: string, { metadata, spec, status }: DeclaringObject): Declaration {
  const { annotations = {}, labels = {}, name, namespace = "" } = metadata;
  const instance = "argocd.argoproj.io/instance";
  // A tracking id is APPLICATION:GROUP/KIND:NAMESPACE/NAME.
  const tracked = annotations["argocd.argoproj.io/tracking-id"]?.split(":")[0];
  const application = tracked ?? annotations[instance] ?? labels[instance];
  const kustomization = labels["kustomize.toolkit.fluxcd.io/name"];
  const kustomizationNamespace = labels["kustomize.toolkit.fluxcd.io/namespace"] ?? namespace;
  // What the status records is in force, whatever the spec says.
  const expiresAt = status?.expiresAt ?? spec?.expiresAt;
  return {
    kind,
    namespace,
    name,
    ...(typeof expiresAt === "string" ? { expiresAt: visibleText(expiresAt) } : {}),
    ...(application === undefined ? {} : { argoCdApplication: visibleText(application) }),
    ...(kustomization === undefined ? {} : { fluxKustomization: `${kustomizationNamespace}/${kustomization}` }),
  };
}
