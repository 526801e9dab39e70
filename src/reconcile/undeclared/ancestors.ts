import { parentOf } from "#src/platform-client/uid.ts";

/** The groups above `uid`, the nearest first. */
export function ancestorsOf(uid: string): string[] {
  const above: string[] = [];
  for (let group = parentOf(uid); group !== undefined; group = parentOf(group)) above.push(group);
  return above;
}

/** The groups above all of `roots`, each once. */
export function ancestorsOfAll(roots: readonly string[]): string[] {
  return [...new Set(roots.flatMap(ancestorsOf))];
}
