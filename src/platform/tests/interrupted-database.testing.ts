import type { Share } from "../shares/share.ts";
import { CountingWriter } from "../store/counting-reader.testing.ts";
import type { Database, Reader, Writer } from "../store/database.ts";

/** A database that counts the statements of each write, and does something else before one of them. */
export class InterruptedDatabase implements Database {
  readonly inner: Database;
  /** The statements of each write that was committed. */
  writes: number[] = [];
  #before: { readonly write: number; readonly interrupt: () => Promise<unknown> } | undefined;

  constructor(inner: Database) {
    this.inner = inner;
  }

  reset(): void {
    this.writes = [];
    this.#before = undefined;
  }

  /** @param write the number of the write, from 1; if the interruption fails, so does the write */
  before(write: number, interrupt: () => Promise<unknown>): void {
    this.#before = { write, interrupt };
  }

  read<T>(work: (reader: Reader) => Promise<T>, shares?: readonly Share[]): Promise<T> {
    return this.inner.read(work, shares);
  }

  async write<T>(work: (writer: Writer) => Promise<T>, shares?: readonly Share[]): Promise<T> {
    const { write, interrupt } = this.#before ?? {};
    if (write === this.writes.length + 1) {
      this.#before = undefined;
      await interrupt?.();
    }
    let statements = 0;
    const value = await this.inner.write((writer) => {
      const counting = new CountingWriter(writer);
      return work(counting).finally(() => (statements = counting.statements));
    }, shares);
    this.writes.push(statements);
    return value;
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
