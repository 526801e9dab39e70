import { apiGroup } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";

const generatedLine = /^(?<before>\s*\w+: )\[.*\](?<comment> # From src\/kinds: (?<patterns>\S+))$/;

/**
 * Fills the lists of kinds in a manifest. In a line that ends with `# From src/kinds: PATTERN,…`, the list becomes one item
 * per kind and pattern: the pattern, with the kind's plural for its `*`. A pattern without `*` is one item: a rule for
 * one kind only, or Tenants, which are not in src/kinds because they do not exist on the platform.
 * @param path for errors.
 * @throws {Error} if a line names a kind and has no such comment.
 */
export function fillKinds(manifest: string, kinds: readonly Kind[], path: string): string {
  const plurals = pluralsOf(kinds);
  const namesKind = new RegExp(`[\\s[,](${plurals.join("|")})([\\s\\],./]|$)`);
  const lines = manifest.split("\n").map((line, index) => {
    const { before, comment, patterns } = generatedLine.exec(line)?.groups ?? {};
    if (before !== undefined && comment !== undefined && patterns !== undefined) {
      const items = patterns
        .split(",")
        .flatMap((pattern) =>
          pattern.includes("*") ? plurals.map((plural) => pattern.replace("*", plural)) : [pattern],
        );
      return `${before}[${items.join(", ")}]${comment}`;
    }
    if (namesKind.test(line.replace(/#.*/, "")))
      throw new Error(
        `${path}:${index + 1}: this line names a kind. List all kinds, and end the line with "# From src/kinds: *", or with the kinds that it is for`,
      );
    return line;
  });
  return lines.join("\n");
}

/** The resources of all kinds as an argument of kubectl. */
export function kubectlResources(kinds: readonly Kind[]): string {
  return pluralsOf(kinds)
    .map((plural) => `${plural}.${apiGroup}`)
    .join(",");
}

function pluralsOf(kinds: readonly Kind[]): string[] {
  return kinds.map(({ definition }) => definition.plural);
}
