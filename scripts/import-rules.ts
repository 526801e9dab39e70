import { posix } from "node:path";

/** The document that holds the table. */
export const tableDocument = "src/README.md";

/** One row of a table in src/README.md: a folder of `src/` and what it may import. */
export interface Layer {
  /** `src/kube/`: the files of the folder, not those of the folders below it. `src/gen/**`: both. */
  readonly path: string;
  /** Paths of other rows, or single files, that it may import in addition to itself. */
  readonly allowed: readonly string[];
  /** Whether it holds pure functions only: no I/O, no clock, no randomness, no class. */
  readonly pure: boolean;
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
function layerOf(file: string, layers: readonly Layer[]): Layer | undefined {
  return (
    layers.find(({ path }) => path === file || path === `${posix.dirname(file)}/`) ??
    layers.find(({ path }) => path.endsWith("**") && file.startsWith(path.slice(0, -2)))
  );
}

const specifier = /\b(?:from|import)\s*\(?\s*"([#.][^"]+)"/g;

/** The files of the repository that a file imports, types included, as paths from its root. */
export function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(specifier)].map(([, name = ""]) =>
    name.startsWith("#") ? name.slice(1) : posix.join(posix.dirname(file), name),
  );
}

/** Whether the rules apply to a file. Tests may look at every folder: their imports couple nothing in production. */
export function isProduction(file: string): boolean {
  return file.startsWith("src/") && /(?<!\.test|\.testing)\.ts$/.test(file);
}

/**
 * What the imports of production do that the table forbids: a line for each, which says what to do.
 * @param texts of all files, by their paths from the root of the repository
 */
export function forbiddenImports(texts: ReadonlyMap<string, string>, layers: readonly Layer[]): string[] {
  return [...texts]
    .filter(([file]) => isProduction(file))
    .flatMap(([file, text]) => {
      const own = layerOf(file, layers);
      if (own === undefined)
        return [`${file}: its folder has no row in ${tableDocument}. Add one: what it does, and what it may import.`];
      // Generated code imports what its generator wants.
      if (own.path.endsWith("**")) return [];
      return importsOf(file, text).flatMap((imported) => {
        const why = objectionTo(imported, own, layers);
        return why === undefined ? [] : [`${file} imports ${imported}${why}`];
      });
    });
}

function objectionTo(imported: string, own: Layer, layers: readonly Layer[]): string | undefined {
  if (!isProduction(imported))
    return ", which supports tests or runs outside of Muster. Move what production needs of it into src/.";
  const other = layerOf(imported, layers);
  if (other === own || own.allowed.includes(imported) || own.allowed.includes(other?.path ?? "")) return undefined;
  const names = own.allowed.map((name) => name.replace(/^src\//, "")).join(", ") || "no other folder";
  return `, but ${own.path} may import only ${names}. Pass it in, or move the code that both need to a folder below; if the design changes, change the row of ${own.path} in ${tableDocument}, which may name only rows below it.`;
}

/** A folder with more files has one where a reader starts. */
const filesWithoutStart = 10;
/** The rows of all tables that name this file. */
const startPattern = /^\| `([^`]+\/)` \| .*?Start at `([^`]+)`/gm;

/**
 * The folders with many files of which nothing says where to start: a line for each, which says what to do. Tests need no start, nor
 * their support beside production.
 * @param files of the repository, with its READMEs
 */
export function foldersWithoutStart(files: readonly string[], markdown: string): string[] {
  const starts = new Map([...markdown.matchAll(startPattern)].map(([, folder = "", file = ""]) => [folder, file]));
  const all = new Set(files);
  const counted = files.filter((file) =>
    file.startsWith("src/") ? isProduction(file) : /(?<!\.test)\.ts$/.test(file),
  );
  return [...Map.groupBy(counted, (file) => posix.dirname(file))].flatMap(([folder, own]) => {
    const start = starts.get(`${folder}/`) ?? `${posix.basename(folder)}.ts`;
    const others = starts.has(`${folder}/`) ? [] : [`${folder}.ts`, `${folder}/main.ts`, `${folder}/README.md`];
    if (own.length <= filesWithoutStart || [`${folder}/${start}`, ...others].some((file) => all.has(file))) return [];
    return [
      `${folder}/ has ${own.length} files, and no ${start}, where a reader would start. Write "Start at \`FILE.ts\`." into its row in ${tableDocument}, or name a file after the folder.`,
    ];
  });
}
