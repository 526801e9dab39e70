import { apiVersion } from "#src/api/custom-resource.ts";
import type { Fields } from "#src/kinds/kind.ts";
import type { ImportOptions } from "./import-options.ts";
import type { ImportedObject, ImportException } from "./imported-tree.ts";
import { ObjectNames } from "./object-names.ts";

type Declared = Pick<ImportedObject, "kind" | "spec"> & { readonly metadata: { readonly name: string } };

/** What has been declared until now: every resource has at most one object. */
export class Declarations {
  readonly namespace: string;
  readonly #earlierNames: ImportOptions["earlierNames"];
  readonly #names = new Map<string, ObjectNames>();
  readonly #objectNames = new Map<string, string>();
  readonly #byGroup = new Map<string, ImportedObject[]>();
  readonly #exceptions: ImportException[] = [];

  constructor({ namespace, earlierNames }: Pick<ImportOptions, "namespace" | "earlierNames">) {
    this.namespace = namespace;
    this.#earlierNames = earlierNames;
  }

  /** In the order in which they were found. */
  get exceptions(): readonly ImportException[] {
    return this.#exceptions;
  }

  /** The name of the only object of a kind for `key`; see `ObjectNames`. */
  nameOf(kind: string, text: string, noun: string, key: string): string {
    const names = this.#names.get(kind) ?? new ObjectNames(this.#earlierNames.get(kind));
    this.#names.set(kind, names);
    return names.nameOf(text, noun.replaceAll(" ", "-"), key);
  }

  /**
   * @param uid of the resource
   * @param group the uid of the group in whose folder the object is
   */
  add(uid: string, group: string, { kind, metadata: { name }, spec }: Declared): void {
    const objects = this.#byGroup.get(group) ?? [];
    objects.push({ apiVersion, kind, metadata: { name, namespace: this.namespace }, spec });
    this.#byGroup.set(group, objects);
    this.#objectNames.set(uid, name);
  }

  except({ name, ...exception }: Omit<ImportException, "name"> & { readonly name?: string | undefined }): void {
    this.#exceptions.push({ ...exception, ...(name === undefined || name === "" ? {} : { name }) });
  }

  /** The objects in the folder of a group. */
  inGroup(uid: string): readonly ImportedObject[] {
    return this.#byGroup.get(uid) ?? [];
  }

  /** The name of the object that declares a resource; undefined if none does. */
  objectOf(uid: string): string | undefined {
    return this.#objectNames.get(uid);
  }

  /** A reference by name if an object declares the resource: `groupRef` or `groupUid`, for example. */
  reference(field: string, uid: string): Fields {
    const name = this.objectOf(uid);
    return name === undefined ? { [`${field}Uid`]: uid } : { [`${field}Ref`]: { name } };
  }
}
