import type { Random } from "./random.ts";

/** When there are more, the oldest is removed. */
const maximumSize = 300;

/** Values of responses that later requests reuse: the uids of created resources, and page tokens. */
export class Pool {
  readonly #uids = new Map<string, string[]>();
  readonly #pageTokens = new Map<string, string[]>();
  /** The group of all resources that the fuzzer creates. It must not change resources outside of it. */
  readonly home: string;

  constructor(home: string) {
    this.home = home;
    this.add("groups", home);
  }

  /** @param collection its name in paths: `groups` */
  add(collection: string, uid: string): void {
    append(this.#uids, collection, uid);
  }

  remove(collection: string, uid: string): void {
    if (uid === this.home) return;
    const known = this.#uids.get(collection);
    const at = known?.indexOf(uid) ?? -1;
    if (at >= 0) known?.splice(at, 1);
  }

  addPageToken(path: string, token: string): void {
    append(this.#pageTokens, path, token);
  }

  uid(collection: string, random: Random): string | undefined {
    const known = this.#uids.get(collection) ?? [];
    return known.length === 0 ? undefined : random.pick(known);
  }

  /** The resource that was created last. It is likely to have no children yet. */
  newestUid(collection: string): string | undefined {
    return this.#uids.get(collection)?.at(-1);
  }

  /** The resource that is farthest from the root. */
  deepestUid(collection: string): string | undefined {
    return this.#uids.get(collection)?.reduce((deepest, uid) => (uid.length > deepest.length ? uid : deepest), "");
  }

  /** A resource of any collection. */
  anyUid(random: Random): string {
    return this.uid(random.pick([...this.#uids.keys()]), random) ?? this.home;
  }

  pageToken(path: string, random: Random): string | undefined {
    const known = this.#pageTokens.get(path) ?? [];
    return known.length === 0 ? undefined : random.pick(known);
  }

  count(collection: string): number {
    return this.#uids.get(collection)?.length ?? 0;
  }
}

function append(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key) ?? [];
  map.set(key, known);
  known.push(value);
  if (known.length > maximumSize) known.shift();
}
