/**
 * Uids by a key. Most keys have a single uid, which is stored without a set: a set for each key would take more memory
 * than the resources themselves.
 */
export class UidIndex {
  readonly #uids = new Map<string, string | Set<string>>();

  get(key: string): Iterable<string> {
    const uids = this.#uids.get(key) ?? [];
    return typeof uids === "string" ? [uids] : uids;
  }

  add(key: string, uid: string): void {
    const uids = this.#uids.get(key);
    if (uids === undefined) this.#uids.set(key, uid);
    else if (typeof uids === "object") uids.add(uid);
    else if (uids !== uid) this.#uids.set(key, new Set([uids, uid]));
  }

  delete(key: string, uid: string): void {
    const uids = this.#uids.get(key);
    if (typeof uids === "object") uids.delete(uid);
    if (uids === uid || (typeof uids === "object" && uids.size === 0)) this.#uids.delete(key);
  }
}
