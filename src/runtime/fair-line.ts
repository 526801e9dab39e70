interface Line<T> {
  readonly name: string;
  readonly items: Fifo<T>;
}

/** Lines that take turns: one item of each. Within a line, first in, first out. Each operation in amortized O(1). */
export class FairLine<T> {
  /** Those that are not empty. */
  readonly #lines = new Map<string, Line<T>>();
  /** The same, in the order of their turns. */
  readonly #turns = new Fifo<Line<T>>();

  push(name: string, item: T): void {
    const line = this.#lines.get(name) ?? this.#open(name);
    line.items.push(item);
  }

  /** The first item of the line whose turn it is. */
  peek(): T | undefined {
    return this.#turns.peek()?.items.peek();
  }

  /** Removes the first item, and ends the turn of its line. */
  take(): T | undefined {
    const line = this.#turns.pop();
    const item = line?.items.pop();
    if (line?.items.peek() !== undefined) this.#turns.push(line);
    else if (line !== undefined) this.#lines.delete(line.name);
    return item;
  }

  /** Removes the first item as if it had never been there: the turn goes to the next one of its line. */
  pop(): T | undefined {
    const line = this.#turns.peek();
    const item = line?.items.pop();
    if (line !== undefined && line.items.peek() === undefined) {
      this.#turns.pop();
      this.#lines.delete(line.name);
    }
    return item;
  }

  clear(): void {
    this.#lines.clear();
    this.#turns.clear();
  }

  #open(name: string): Line<T> {
    const line = { name, items: new Fifo<T>() };
    this.#lines.set(name, line);
    this.#turns.push(line);
    return line;
  }
}

/** First in, first out; each operation in amortized O(1). */
class Fifo<T> {
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
