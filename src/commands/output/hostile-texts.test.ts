import MarkdownIt from "markdown-it";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { formatAnswer } from "./answer-format.ts";
import { csvTable } from "./csv.ts";
import { hostileTexts, obeyed } from "./hostile-texts.testing.ts";
import { formatManifests, formatValue, type OutputFormat, outputFormats, recordFormat } from "./output-format.ts";

const other = "other";
const command = "kubectl annotate --overwrite";

/** What each way to print makes of a text: where it stands in the values for programs, and in the texts for people. */
const ways: Readonly<Record<string, (format: OutputFormat, text: string) => Promise<string>>> = {
  "an answer": (format, text) =>
    formatAnswer(
      format,
      { [text]: [text, other] },
      {
        heading: `Heading ${text}`,
        table: { titles: ["A", "B"], rows: [[text, other], [other, text]] }, // biome-ignore format: a table
        notes: [`Note ${text}`, { text: `Note ${text}`, command: `${command} ${text}` }],
      },
    ),
  "a value": (format, text) => formatValue(format, { [text]: [text, other] }, [["a", text], ["b", other]]), // biome-ignore format: a table
  records: async (format, text) => {
    const { format: record, header } = await recordFormat<{ value: string }>(format, [
      { title: "A", of: ({ value }) => value, width: 4 },
      { title: "B", of: () => other, width: 4 },
    ]);
    return header + record({ value: text });
  },
};

/** The texts of a rendered page, and its elements. */
function rendered(markdown: string): {
  readonly cells: number;
  readonly tags: readonly string[];
  readonly codes: readonly string[];
} {
  const html = new MarkdownIt({ html: true, linkify: true }).render(markdown);
  const tags = [...html.matchAll(/<(\w+)/g)].map(([, tag = ""]) => tag);
  const codes = [...html.matchAll(/<code>([^<]*)<\/code>/g)].map(([, code = ""]) => code);
  return { cells: tags.filter((tag) => tag === "td").length, tags, codes };
}

const harmlessTags = new Set(["p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "code"]);

describe.each(hostileTexts)("%s", (_, text) => {
  it.each(Object.keys(ways))("does not mean anything in %s", async (way) => {
    for (const format of outputFormats) {
      // Markdown has word joiners of its own, which keep GitHub from finding mentions.
      const printed = (await ways[way]?.(format, text))?.replaceAll(/(?<=[@#-]|www)\u2060/gi, "");
      expect(printed, format).not.toMatch(obeyed);
    }
  });

  it("is in JSON and YAML what it was", async () => {
    const value = { [text.toWellFormed()]: [text.toWellFormed(), other] };
    expect(JSON.parse(await formatValue("json", value, []))).toEqual(value);
    expect(parse(await formatValue("yaml", value, []))).toEqual(value);
    expect(parse(await formatManifests("yaml", [value]))).toEqual(value);
  });

  it("adds no line and no column to a table", async () => {
    for (const way of Object.values(ways)) {
      const [plain, hostile] = [await way("table", "plain"), await way("table", text)];
      if (way !== ways["an answer"] && way !== ways["a value"])
        expect(hostile.split("\n")).toHaveLength(plain.split("\n").length);
      expect(rendered(await way("markdown", text)).cells).toBe(rendered(await way("markdown", "plain")).cells);
    }
  });

  it("is text in Markdown: no link, no tag, no mention; a command is code", async () => {
    const markdown = await ways["an answer"]?.("markdown", text);
    const { codes, tags } = rendered(markdown ?? "");
    expect(tags.filter((tag) => !harmlessTags.has(tag))).toEqual([]);
    expect(codes).toHaveLength(1);
    expect(codes[0]).toContain(command);
    expect((markdown ?? "").replace(/`+ .* `+/g, "")).not.toMatch(/@\w|#\d|\bGH-\d|\bwww\./);
  });

  it("is one cell of a spreadsheet, and no formula", () => {
    const [row = ""] = csvTable([], [[text]])
      .slice(3)
      .split(/\r\n$/);
    expect(row).not.toMatch(/(?![\n\r\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u);
    expect(row).toMatch(/^"([^"]|"")*"$/);
    expect(row).not.toMatch(/^"\s*[=+\-@]/);
  });
});
