import { Counter, type Registry } from "prom-client";

/**
 * Counts completed calls by method and gRPC code. A counter with labels sorts and joins them for each count, which costs more
 * than the rest of what is measured of a call, so the numbers are given to it when they are read.
 */
export class CallCounts {
  /** The numbers of a method, by code. There are as many methods as in the contract, and 17 codes. */
  readonly #counts = new Map<string, Map<number, number>>();

  constructor(registry: Registry) {
    const counter: Counter<"method" | "code"> = new Counter({
      name: "muster_platform_server_requests_total",
      help: "Completed calls, by method of the contract and gRPC code.",
      labelNames: ["method", "code"],
      registers: [registry],
      collect: () => {
        counter.reset();
        for (const [method, codes] of this.#counts)
          for (const [code, calls] of codes) counter.inc({ method, code }, calls);
      },
    });
  }

  /** @param method the name of the operation, or "unknown" @param code the gRPC code, 0 for success */
  count(method: string, code: number): void {
    let codes = this.#counts.get(method);
    if (codes === undefined) {
      codes = new Map();
      this.#counts.set(method, codes);
    }
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
}
