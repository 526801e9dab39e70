import { base64, type EtcdKeys, type KeyValue } from "./etcd-keys.ts";

/** What the servers keep for themselves, and write again and again: the Leases of kube-system, and the masters. */
const ofServers = /^\/registry\/(leases\/kube-system|masterleases)\//;
/** The namespaces go first, so that no controller gives them again what is deleted from them. */
const isNamespace = (name: string) => name.startsWith("/registry/namespaces/");
const nameOf = ({ key }: KeyValue) => Buffer.from(key, "base64").toString();
/** Controllers may write while keys are restored. */
const maxRounds = 10;

/** All objects of a control plane at one time, which can be made to exist again as they were. */
export class Snapshot {
  readonly #etcd: EtcdKeys;
  readonly #keys: Map<string, { readonly value: string; revision: string }>;

  private constructor(etcd: EtcdKeys, keys: readonly KeyValue[]) {
    this.#etcd = etcd;
    this.#keys = new Map(
      keys.map((one) => [nameOf(one), { value: one.value ?? "", revision: one.mod_revision }] as const),
    );
  }

  static async of(etcd: EtcdKeys): Promise<Snapshot> {
    return new Snapshot(etcd, await etcd.list({ keysOnly: false }));
  }

  /**
   * Deletes in etcd what was created since, and writes what was changed or deleted. The API server and the controllers
   * learn it as they learn changes by another API server, within milliseconds; admission policies, within a second. No
   * finalizer and no policy is asked.
   * @param kept the keys that stay as they are
   * @returns the keys that differed
   */
  async restore(kept: (name: string) => boolean = () => false): Promise<readonly string[]> {
    const all: string[] = [];
    for (let round = 0; round < maxRounds; round += 1) {
      const differing = await this.#differing((name) => ofServers.test(name) || kept(name));
      if (differing.length === 0) return all;
      all.push(...differing);
      const [namespaces, others] = [differing.filter(isNamespace), differing.filter((name) => !isNamespace(name))];
      await Promise.all(namespaces.map((name) => this.#restoreKey(name)));
      await Promise.all(others.map((name) => this.#restoreKey(name)));
    }
    throw new Error(`the control plane still changes: ${(await this.#differing(kept)).join(", ")}`);
  }

  async #differing(ignored: (name: string) => boolean): Promise<string[]> {
    const now = new Map((await this.#etcd.list({ keysOnly: true })).map((one) => [nameOf(one), one.mod_revision]));
    const names = new Set([...this.#keys.keys(), ...now.keys()]);
    return [...names].filter((name) => now.get(name) !== this.#keys.get(name)?.revision && !ignored(name));
  }

  async #restoreKey(name: string): Promise<void> {
    const before = this.#keys.get(name);
    if (before === undefined) await this.#etcd.delete(base64(name));
    else before.revision = await this.#etcd.put(base64(name), before.value);
  }
}
