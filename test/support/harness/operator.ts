import type { MusterProcess } from "./muster-process.ts";

/** A running operator. */
export class Operator {
  readonly process: MusterProcess;
  readonly url: string;
  constructor(process: MusterProcess, url: string) {
    this.process = process;
    this.url = url;
  }

  async metrics(): Promise<string> {
    return (await fetch(`${this.url}/metrics`)).text();
  }
}
