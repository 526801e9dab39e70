import { posix } from "node:path";

/** The document that holds the table, and to which the generated lint rules point. */
export const tableDocument = "docs/architecture.md";

/** One row of a table in docs/architecture.md: a folder of `src/` and what it may import. */
export interface Layer {
  /** `src/kube/`: the files of the folder, not those of the folders below it. `src/gen/**`: both. */
  readonly path: string;
  /** Paths of other rows, or single files, that it may import in addition to itself. */
  readonly allowed: readonly string[];
  /** Whether it holds pure functions only: no I/O, no clock, no randomness, no class. */
  readonly pure: boolean;
}

/** An entry of `overrides` in `.oxlintrc.json`. */
export interface LintOverride {
  readonly files: readonly string[];
  readonly excludeFiles?: readonly string[];
  readonly rules: Readonly<Record<string, unknown>>;
}

const rowPattern = /^\| `(src\/[^`]*)` \| (.*) \| (.*) \|$/;

/**
 * Reads every table whose rows begin with a folder of `src/`. Imports run downwards: a row may name only rows below it;
 * `below` means all rows below it in its own table, and `–` means none.
 * @throws Error that names the row, where it names a folder that has no row or whose row is not below it.
 */
export function readLayers(markdown: string): Layer[] {
  const rows = markdown.split(/\n\n/).flatMap((block, table) =>
    block.split("\n").flatMap((line) => {
      const [, path, description = "", imports = ""] = rowPattern.exec(line) ?? [];
      return path === undefined ? [] : [{ table, path, description, imports }];
    }),
  );
  return rows.map(({ table, path, description, imports }, index) => {
    const lower = rows.slice(index + 1);
    const allowed = imports === "–" ? [] : imports.split(", ").flatMap((name) => named(name, table, lower));
    return { path, allowed, pure: /\bpure\b/i.test(description) };

    function named(name: string, ownTable: number, candidates: typeof rows): string[] {
      if (name === "below") return candidates.filter((row) => row.table === ownTable).map((row) => row.path);
      const wanted = `src/${name.replaceAll("`", "")}`;
      const folder = wanted.endsWith(".ts") ? `${posix.dirname(wanted)}/` : wanted;
      if (candidates.some((row) => row.path === wanted || row.path === folder)) return [wanted];
      throw new Error(`${tableDocument}: the row ${path} names ${wanted}, which has no row below it.`);
    }
  });
}

/** The row that covers a file; undefined if there is none. */
export function layerOf(file: string, layers: readonly Layer[]): Layer | undefined {
  return (
    layers.find(({ path }) => path === file || path === `${posix.dirname(file)}/`) ??
    layers.find(({ path }) => path.endsWith("**") && file.startsWith(path.slice(0, -2)))
  );
}

/**
 * The lint rules that enforce the table. What a row does not name is forbidden. Generated code and tests have no
 * rules.
 */
export function lintOverrides(layers: readonly Layer[]): LintOverride[] {
  const enforced = layers.filter(({ path }) => !path.endsWith("**"));
  return enforced.map((layer) => {
    const files = globOf(layer.path);
    const imports = importsBesides([layer.path, ...layer.allowed], layer.path);
    // The last pattern that matches wins, so these come after the exceptions.
    const testSupport = ["*.testing.ts"];
    const builtIns = layer.pure ? ["node:*", "!node:util"] : [];
    return {
      files: [files],
      // Tests may look at every folder: their imports couple nothing in production.
      excludeFiles: ["**/*.test.ts", "**/*.testing.ts"],
      rules: {
        ...forbid([...imports, ...testSupport, ...builtIns], messageOf(layer)),
        ...(layer.pure ? purity : {}),
      },
    };
  });
}

function forbid(group: readonly string[], message: string): Record<string, unknown> {
  return { "no-restricted-imports": ["error", { patterns: [{ group, message }] }] };
}

/** What makes a function depend on more than its arguments, as far as a linter can see it. */
const purity = {
  "max-classes-per-file": ["error", { max: 0 }],
  "no-restricted-globals": ["error", "performance", "process", "setTimeout", "setInterval", "setImmediate", "fetch"],
  "no-restricted-properties": [
    "error",
    { object: "Date", property: "now" },
    { object: "Math", property: "random" },
    { object: "globalThis", property: "crypto" },
  ],
} as const;

function messageOf({ path, allowed }: Layer): string {
  const names = allowed.map((name) => name.replace(/^src\//, "")).join(", ") || "no other folder";
  return `${path} may import ${names}, and no support of tests: see the table in ${tableDocument}.`;
}

/** A pattern for all imports of the repository's own files, except those of `paths`, as seen from the folder `from`. */
function importsBesides(paths: readonly string[], from: string): string[] {
  const folder = posix.dirname(globOf(from));
  const exceptions = paths.flatMap((path) => {
    const target = globOf(path);
    const relative = posix.relative(folder, target);
    return [`!#${target}`, `!${relative.startsWith(".") ? relative : `./${relative}`}`];
  });
  return ["#*/**", "./**", "../**", ...exceptions];
}

function globOf(path: string): string {
  return path.endsWith("/") ? `${path}*.ts` : path;
}
