export interface CacheBounds {
  readonly entries: number;
  /** The sum of the sizes of the entries, as the callers of `set` estimate them. */
  readonly bytes: number;
  /** The largest entry, so that one entry cannot evict all others. By default, `bytes`. */
  readonly entryBytes?: number;
}

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
}

/**
 * A cache that never holds more than its bounds: it evicts the entries that were not used for the longest time. An entry
 * that is too large is not stored.
 *
 * Assumption: `bytes` of an entry is at least about what the entry keeps in memory, including its key.
 */
export class BoundedCache<K, V> {
  readonly #bounds: CacheBounds;
  readonly #evicted: ((value: V) => void) | undefined;
  /** In the order of the last use, oldest first. */
  readonly #entries = new Map<K, Entry<V>>();
  #bytes = 0;

  /** @param evicted is called with each value that leaves the cache because of its bounds */
  constructor(bounds: CacheBounds, evicted?: (value: V) => void) {
    this.#bounds = bounds;
    this.#evicted = evicted;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The sum of the sizes of the entries. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: K, value: V, bytes: number): void {
    this.delete(key);
    if (bytes > (this.#bounds.entryBytes ?? this.#bounds.bytes)) {
      this.#evicted?.(value);
      return;
    }
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.#bounds.entries && this.#bytes <= this.#bounds.bytes) return;
      this.delete(oldest);
      this.#evicted?.(entry.value);
    }
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
