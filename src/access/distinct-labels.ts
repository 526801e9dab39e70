/**
 * What people read of each resource, by its uid: names need not be unique, so what several of them are called is followed by the last
 * part of the uid.
 */
export function distinctLabels(labels: Iterable<readonly [uid: string, label: string]>): ReadonlyMap<string, string> {
  const all = [...labels];
  const count = new Map<string, number>();
  for (const [, label] of all) count.set(label, (count.get(label) ?? 0) + 1);
  const isUnique = (label: string) => count.get(label) === 1;
  return new Map(
    all.map(([uid, label]) => [uid, isUnique(label) ? label : `${label} (${uid.slice(uid.lastIndexOf("/") + 1)})`]),
  );
}
