import { join } from "node:path";
import { Pool } from "undici";

/** A key of etcd with its value, or without it where only the keys were read. Both are in base64. */
export interface KeyValue {
  readonly key: string;
  readonly value?: string;
  /** The revision of etcd in which it was last written. */
  readonly mod_revision: string;
}

/** The last key, as the end of a range: all keys from the first one on. */
const end = base64("\0");

/** Reads and writes the keys of a control plane's etcd, past its API server, through etcd's JSON gateway. */
export class EtcdKeys {
  readonly #pool: Pool;

  /** @param folder that of the control plane, with the socket of its etcd */
  constructor(folder: string) {
    this.#pool = new Pool("http://etcd", { socketPath: join(folder, "etcd.sock"), connections: 8, allowH2: false });
  }

  /** All keys. */
  async list({ keysOnly }: { readonly keysOnly: boolean }): Promise<readonly KeyValue[]> {
    const { kvs = [] } = await this.#call("range", { key: end, range_end: end, keys_only: keysOnly });
    return kvs as readonly KeyValue[];
  }

  async delete(key: string): Promise<void> {
    await this.#call("deleterange", { key });
  }

  /** @returns the new revision of etcd */
  async put(key: string, value: string): Promise<string> {
    return (await this.#call("put", { key, value })).header.revision;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  async #call(method: string, body: object): Promise<any> {
    const { statusCode, body: response } = await this.#pool.request({
      path: `/v3/kv/${method}`,
      method: "POST",
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (statusCode !== 200) throw new Error(`etcd: ${method}: ${statusCode} ${text}`);
    return JSON.parse(text);
  }
}

/** @param text without characters outside of Latin-1 */
export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
