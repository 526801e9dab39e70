/** First in, first out; each operation in amortized O(1). */
export class Fifo<T> {
  #items: T[] = [];
  /** The index of the first item; everything before it has been taken out. */
  #head = 0;

  push(item: T): void {
    this.#items.push(item);
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  pop(): T | undefined {
    const first = this.#items[this.#head];
    if (first === undefined) return undefined;
    this.#head++;
    if (this.#head === this.#items.length) this.clear();
    else if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return first;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}
