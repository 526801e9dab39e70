import { type LookupFunction, Socket } from "node:net";

/** A socket of the PostgreSQL client, which connects by port and host, or by path, without a choice of resolver. */
export class NamedSocket extends Socket {
  readonly #lookup: LookupFunction;

  constructor(lookup: LookupFunction) {
    super();
    this.#lookup = lookup;
  }

  override connect(...args: readonly unknown[]): this {
    const [port, host] = args;
    if (typeof port === "number" && typeof host === "string")
      return super.connect({ port, host, lookup: this.#lookup });
    return super.connect(...(args as unknown as Parameters<Socket["connect"]>));
  }
}
