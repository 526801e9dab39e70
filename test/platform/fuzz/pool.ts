import type { Random } from "./random.ts";

/** Beyond it, the oldest are forgotten. */
const maximumRemembered = 300;

/** What the platform answered that is worth sending again: uids of what was made, page tokens, tokens. */
export class Pool {
  readonly #uids = new Map<string, string[]>();
  readonly #pageTokens = new Map<string, string[]>();
  /** The group in which all of it lives: uids above it are not ours to change. */
  readonly home: string;

  constructor(home: string) {
    this.home = home;
    this.add("groups", home);
  }

  /** @param collection as paths name it: `groups` */
  add(collection: string, uid: string): void {
    remember(this.#uids, collection, uid);
  }

  remove(collection: string, uid: string): void {
    if (uid === this.home) return;
    const known = this.#uids.get(collection);
    const at = known?.indexOf(uid) ?? -1;
    if (at >= 0) known?.splice(at, 1);
  }

  addPageToken(path: string, token: string): void {
    remember(this.#pageTokens, path, token);
  }

  uid(collection: string, random: Random): string | undefined {
    const known = this.#uids.get(collection) ?? [];
    return known.length === 0 ? undefined : random.pick(known);
  }

  /** The one that was made last: nothing is likely to be in it yet. */
  newestUid(collection: string): string | undefined {
    return this.#uids.get(collection)?.at(-1);
  }

  /** The one that is farthest from the root. */
  deepestUid(collection: string): string | undefined {
    return this.#uids.get(collection)?.reduce((deepest, uid) => (uid.length > deepest.length ? uid : deepest), "");
  }

  /** One of any collection. */
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

function remember(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key) ?? [];
  map.set(key, known);
  known.push(value);
  if (known.length > maximumRemembered) known.shift();
}
