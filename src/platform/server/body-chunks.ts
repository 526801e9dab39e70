/** Chunks that are smaller are copied together. */
const smallChunk = 4 * 1024;
const slabBytes = 16 * 1024;

/**
 * The chunks of a body while it is received. A body of a million chunks of one byte would otherwise take a hundred times its
 * size in memory.
 */
export class BodyChunks {
  readonly #chunks: Buffer[] = [];
  /** Where small chunks are copied to, up to `#filled`. */
  #slab: Buffer | undefined;
  #filled = 0;
  #size = 0;

  /** The number of bytes that were added. */
  get size(): number {
    return this.#size;
  }

  /** The bytes of memory that adding the chunk takes. */
  memoryFor(chunk: Buffer): number {
    if (this.#isKept(chunk)) return chunk.length;
    return this.#fitsSlab(chunk) ? 0 : slabBytes;
  }

  add(chunk: Buffer): void {
    const isKept = this.#isKept(chunk);
    if (isKept || !this.#fitsSlab(chunk)) this.#endSlab();
    this.#size += chunk.length;
    if (isKept) {
      this.#chunks.push(chunk);
      return;
    }
    this.#slab ??= Buffer.allocUnsafeSlow(slabBytes);
    this.#filled += chunk.copy(this.#slab, this.#filled);
  }

  /** The whole body. Nothing can be added after that. */
  whole(): Buffer {
    this.#endSlab();
    const [only, ...more] = this.#chunks;
    return only !== undefined && more.length === 0 ? only : Buffer.concat(this.#chunks);
  }

  /** The first chunk is kept as it is, since most bodies have only one. */
  #isKept(chunk: Buffer): boolean {
    return this.#size === 0 || chunk.length >= smallChunk;
  }

  #fitsSlab(chunk: Buffer): boolean {
    return this.#slab !== undefined && this.#filled + chunk.length <= slabBytes;
  }

  #endSlab(): void {
    if (this.#slab !== undefined) this.#chunks.push(this.#slab.subarray(0, this.#filled));
    this.#slab = undefined;
    this.#filled = 0;
  }
}
