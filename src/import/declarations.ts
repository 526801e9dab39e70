import { apiVersion } from "#src/api/custom-resource.ts";
import type { Fields } from "#src/kinds/fields.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { DeclaredResources, ObjectName } from "./declared-resources.ts";
import type { ImportOptions } from "./import-options.ts";
import type { ImportedObject, ImportException, NeededSecret } from "./imported-tree.ts";
import { ObjectNames } from "./object-names.ts";

type Declared = Pick<ImportedObject, "kind" | "spec"> & { readonly metadata: { readonly name: string } };

/** What has been declared until now: every resource has at most one object. */
export class Declarations {
  readonly namespace: string;
  readonly #earlierNames: ImportOptions["earlierNames"];
  readonly #cluster: DeclaredResources;
  readonly #names = new Map<string, ObjectNames>();
  /** By kind and key. */
  readonly #handedOut = new Map<string, string>();
  /** By kind and uid: an account association has the uid of its group. */
  readonly #objectNames = new Map<string, string>();
  readonly #byGroup = new Map<string, ImportedObject[]>();
  readonly #exceptions: ImportException[] = [];
  readonly #kinds = new Set<string>();
  readonly #adoptedKinds = new Set<string>();
  /** By kind and uid. */
  readonly #adopted = new Set<string>();
  readonly #secrets = new Map<string, NeededSecret>();

  /** @param cluster what objects declare already */
  constructor(
    { namespace, earlierNames }: Pick<ImportOptions, "namespace" | "earlierNames">,
    cluster: DeclaredResources,
  ) {
    this.namespace = namespace;
    this.#cluster = cluster;
    this.#earlierNames = earlierNames;
  }

  /** In the order in which they were found. */
  get exceptions(): readonly ImportException[] {
    return this.#exceptions;
  }

  /** The kinds of the objects. */
  get kinds(): ReadonlySet<string> {
    return this.#kinds;
  }

  /** The kinds of which objects adopt a resource with a marker. */
  get adoptedKinds(): ReadonlySet<string> {
    return this.#adoptedKinds;
  }

  /** Whether an object of the kind adopts the resource, which has a marker then. */
  adopts(kind: string, uid: string): boolean {
    return this.#adopted.has(`${kind} ${uid}`);
  }

  /** The Secrets that objects name, by the uids of the resources. */
  get secrets(): ReadonlyMap<string, NeededSecret> {
    return this.#secrets;
  }

  /** The name of the only object of a kind for `key`, however often it is asked for; see `ObjectNames`. */
  nameOf(kind: string, text: string, noun: string, key: string): string {
    const handedOut = this.#handedOut.get(`${kind} ${key}`);
    if (handedOut !== undefined) return handedOut;
    const names = this.#names.get(kind) ?? new ObjectNames(this.#earlierNames.get(kind));
    this.#names.set(kind, names);
    const name = names.nameOf(text, noun.replaceAll(" ", "-"), key);
    this.#handedOut.set(`${kind} ${key}`, name);
    return name;
  }

  /**
   * @param uid of the resource
   * @param group the uid of the group in whose folder the object is
   * @param adopts whether it adopts a resource with a marker, which the Tenant must permit
   */
  add(uid: string, group: string, { kind, metadata: { name }, spec }: Declared, adopts = false): void {
    const objects = this.#byGroup.get(group) ?? [];
    objects.push({ apiVersion, kind, metadata: { name, namespace: this.namespace }, spec });
    this.#byGroup.set(group, objects);
    this.#objectNames.set(`${kind} ${uid}`, name);
    this.#kinds.add(kind);
    if (!adopts) return;
    this.#adoptedKinds.add(kind);
    this.#adopted.add(`${kind} ${uid}`);
  }

  /** @param uid of the resource whose object names the Secret */
  needSecret(uid: string, secret: NeededSecret): void {
    this.#secrets.set(uid, secret);
  }

  except({ name, ...exception }: Omit<ImportException, "name"> & { readonly name?: string | undefined }): void {
    this.#exceptions.push({ ...exception, ...(name === undefined || name === "" ? {} : { name }) });
  }

  /** The objects in the folder of a group. */
  inGroup(uid: string): readonly ImportedObject[] {
    return this.#byGroup.get(uid) ?? [];
  }

  /** The name of the object of a kind that declares a resource; undefined if none does. */
  objectOf(kind: string, uid: string): string | undefined {
    return this.#objectNames.get(`${kind} ${uid}`);
  }

  /**
   * The object of the cluster that declares a resource already; undefined if none does, or if it is the one that the import declares.
   * @param name of the latter
   */
  declaredElsewhere(kind: Kind, resource: ExternalResource, name: string): ObjectName | undefined {
    const object = this.#cluster.objectFor(kind, resource);
    return object?.namespace === this.namespace && object.name === name ? undefined : object;
  }

  /**
   * A reference by name if an object of the kind in the namespace declares the resource, by the import or already: `groupRef` or
   * `groupUid`, for example.
   */
  reference(field: string, kind: string, uid: string): Fields {
    const existing = this.#cluster.objectOf(kind, uid);
    const name = this.objectOf(kind, uid) ?? (existing?.namespace === this.namespace ? existing.name : undefined);
    return name === undefined ? { [`${field}Uid`]: uid } : { [`${field}Ref`]: { name } };
  }
}
