import type { WatchEvent } from "./api.ts";
import type { KubeObject, ObjectMeta } from "./object.ts";

/** How a change came to be known. */
export type ChangeSource = "list" | "watch" | "ownWrite";

/**
 * Called after the store holds `after`. `before` is undefined for what is new, `after` for what is gone. An object that
 * was deleted and made again under its name is told as two changes.
 */
export type ChangeListener<T> = (before: T | undefined, after: T | undefined, source: ChangeSource) => void;

export interface StoreOptions<T> {
  /**
   * Makes the typed object from what arrived, or a value of the caller's own that marks it as invalid (T may be a
   * union). It keeps `metadata` as it is and does not throw.
   */
  readonly parse: (object: KubeObject) => T;
  /** By name: the values under which an object is found. */
  readonly indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;
}

/** What readers of a store see. */
export interface ReadStore<T extends { readonly metadata: ObjectMeta }> {
  get(key: string): T | undefined;
  readonly size: number;
  values(): IterableIterator<T>;
  keys(): IterableIterator<string>;
  /** The objects that the index `name` has under `value`, in no particular order. @throws where there is no such index. */
  index(name: string, value: string): readonly T[];
  /** @returns a function that ends the subscription. */
  onChange(listener: ChangeListener<T>): () => void;
  /** True once every reflector that feeds this store has listed once. */
  readonly synced: boolean;
  whenSynced(signal: AbortSignal): Promise<void>;
  /**
   * Takes in what a write of ours was answered with, so that the next decision sees it. Older echoes never move it
   * back. An object that the store does not hold (any more) is left out.
   * @returns what the store holds now under that key.
   */
  observeOwnWrite(object: KubeObject): T | undefined;
}

/** What a reflector does to a store. */
export interface FedStore {
  /** Says that `namespace` (undefined: all) will be fed, so that `synced` waits for it. */
  addScope(namespace: string | undefined): void;
  /** The whole state of the scope at `resourceVersion`. */
  replace(namespace: string | undefined, objects: Iterable<KubeObject>, resourceVersion: string): void;
  apply(event: Extract<WatchEvent, { type: "ADDED" | "MODIFIED" | "DELETED" }>): void;
}
