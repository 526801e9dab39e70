/** What a person names: by its uid, by its name, or by its path, which is unique more often. */
export interface Nameable {
  readonly uid: string;
  /** The names of the groups above it and its own, joined by slashes. */
  readonly path: string;
}

/**
 * The candidates that a text means: the one with the uid; otherwise those whose path it is, or else the end of whose path it is,
 * from a slash on.
 */
export function findByName<T extends Nameable>(text: string, candidates: readonly T[]): readonly T[] {
  const byUid = candidates.filter(({ uid }) => uid === text);
  if (byUid.length > 0) return byUid;
  const exact = candidates.filter(({ path }) => path === text);
  return exact.length > 0 ? exact : candidates.filter(({ path }) => path.endsWith(`/${text}`));
}
