import type { Query, Reader, Statement, Writer } from "./database.ts";

/** A reader that counts its statements, and the rows that they return. */
export class CountingReader<R extends Reader = Reader> implements Reader {
  protected readonly counted: R;
  statements = 0;
  rows = 0;

  constructor(counted: R) {
    this.counted = counted;
  }

  async all<P extends object, T>(one: Statement<P, T>, parameters: P): Promise<T[]> {
    this.statements++;
    return this.#returned(await this.counted.all(one, parameters));
  }

  first<P extends object, T>(one: Statement<P, T>, parameters: P): Promise<T | undefined> {
    this.statements++;
    return this.counted.first(one, parameters);
  }

  async query<T>(query: Query<T>): Promise<T[]> {
    this.statements++;
    return this.#returned(await this.counted.query(query));
  }

  #returned<T>(rows: T[]): T[] {
    this.rows += rows.length;
    return rows;
  }
}

/** A writer that counts its statements. */
export class CountingWriter extends CountingReader<Writer> implements Writer {
  run<P extends object>(one: Statement<P, unknown>, parameters: P): Promise<number> {
    this.statements++;
    return this.counted.run(one, parameters);
  }
}
