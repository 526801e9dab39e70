import * as settings from "#src/commands/settings/settings.ts";
import { jsonText } from "./json.ts";
import { markdownRow, markdownTable } from "./markdown.ts";
import { visibleLines, visibleText } from "./visible-text.ts";

/** The formats of `--output`; the help topic `outputs` explains them. */
export const outputFormats = ["table", "json", "yaml", "markdown"] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** The setting `--output`, or `-o`, of a command that prints data, perhaps in a format of its own. */
export function outputSetting<F extends string>(formats: readonly F[], defaultFormat: NoInfer<F>): settings.Setting<F> {
  return {
    ...settings.withDefault(settings.oneOf(...formats), defaultFormat, "The format of the output."),
    short: "o",
  };
}

/** The setting `--output` with all formats. */
export const anyOutput = (defaultFormat: OutputFormat): settings.Setting<OutputFormat> =>
  outputSetting(outputFormats, defaultFormat);

/** A column of a table. */
export interface Column<T> {
  readonly title: string;
  readonly of: (record: T) => string;
  /** The number of characters for which there is room; a longer text moves the rest of its line. */
  readonly width: number;
}

/** How the records of a list are printed, one after the other, so that a long list is never held in memory. */
export interface RecordFormat<T> {
  /** Comes before the first record. */
  readonly header: string;
  readonly format: (record: T) => string;
}

export async function recordFormat<T extends object>(
  format: OutputFormat,
  columns: readonly Column<T>[],
): Promise<RecordFormat<T>> {
  switch (format) {
    case "json":
      return { header: "", format: (record) => `${jsonText(record)}\n` };
    case "yaml": {
      const { stringify } = await import("./yaml.ts");
      return { header: "", format: (record) => `---\n${stringify(record)}` };
    }
    case "markdown": {
      const header = markdownTable(
        columns.map(({ title }) => title),
        [],
      );
      return { header, format: (record) => markdownRow(columns.map(({ of }) => of(record))) };
    }
    case "table": {
      const line = (textOf: (column: Column<T>) => string) =>
        columns
          .map((column) => visibleText(textOf(column)).padEnd(column.width))
          .join("  ")
          .trimEnd() + "\n";
      return { header: line(({ title }) => title), format: (record) => line(({ of }) => of(record)) };
    }
  }
}

/** One value. `rows` are the lines of its table: a name and a text each. */
export async function formatValue(
  format: OutputFormat,
  value: object,
  rows: readonly (readonly [name: string, text: string])[],
): Promise<string> {
  switch (format) {
    case "json":
      return `${jsonText(value, 2)}\n`;
    case "yaml":
      return (await import("./yaml.ts")).stringify(value);
    case "markdown":
      return markdownTable(["", ""], rows);
    case "table": {
      const width = Math.max(...rows.map(([name]) => name.length));
      return rows.map(([name, text]) => `${name.padEnd(width)}  ${visibleLines(text)}\n`).join("");
    }
  }
}

/** The setting `--output` of a command that prints manifests of Kubernetes. */
export const manifestOutput = (): settings.Setting<"yaml" | "json"> => outputSetting(["yaml", "json"], "yaml");

/** Manifests as `kubectl apply -f -` reads them: documents of YAML, or a List in JSON. */
export async function formatManifests(format: "yaml" | "json", manifests: readonly object[]): Promise<string> {
  if (format === "json") return formatValue("json", { apiVersion: "v1", kind: "List", items: manifests }, []);
  const { stringify } = await import("./yaml.ts");
  return manifests.map((manifest) => stringify(manifest)).join("---\n");
}
