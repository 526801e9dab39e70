import { expect, it } from "vitest";
import { formatAnswer } from "./answer-format.ts";
import { markdownCode, markdownTable, markdownText } from "./markdown.ts";
import { formatValue, recordFormat } from "./output-format.ts";

it("prints a table", () => {
  expect(markdownTable(["A", "B"], [["1", "2"]])).toBe("| A | B |\n| --- | --- |\n| 1 | 2 |\n");
});

it.each([
  ["a cell that ends", "a|b", "a\\|b"],
  ["a line break", "a\n\nb", "a b"],
  ["a tag", "<img src=x>", "&lt;img src=x&gt;"],
  ["a link", "[a](javascript:b)", "\\[a\\](javascript:b)"],
  ["an address", "https://example.com", "https\\://example.com"],
  ["a mention", "@everybody", "@\u2060everybody"],
  ["a number of an issue", "#12 a/b#12 GH-1 gh-1", "#\u206012 a/b#\u206012 GH-\u20601 gh-\u20601"],
  ["an address without a scheme", "www.a.example", "www\u2060.a.example"],
  ["emphasis", "*a* _b_ `c` ~d~", "\\*a\\* \\_b\\_ \\`c\\` \\~d\\~"],
  ["an entity", "&#64;", "&amp;#\u206064;"],
])("takes the meaning from %s", (_, text, shown) => expect(markdownText(text)).toBe(shown));

it.each([
  ["run --issuer=https://www.a.example/@b#c", "` run --issuer=https://www.a.example/@b#c `"],
  ["a `b` ``c``", "``` a `b` ``c`` ```"],
  ["a\n# b", "` a # b `"],
])("shows %j as code, without a change", (text, shown) => expect(markdownCode(text)).toBe(shown));

it("prints a command in a note as it is", async () => {
  const notes = [{ text: "Run_it:", command: "a --b=https://www.c.example" }];
  const text = { heading: "One.", table: { titles: [], rows: [] }, notes };
  expect(await formatAnswer("table", {}, text)).toBe("One.\n\nRun_it: a --b=https://www.c.example\n");
  expect(await formatAnswer("markdown", {}, text)).toBe("**One.**\n\n- Run\\_it: ` a --b=https://www.c.example `\n");
});

it("prints records and values", async () => {
  const { format, header } = await recordFormat<{ name: string }>("markdown", [
    { title: "NAME", of: ({ name }) => name, width: 4 },
  ]);
  expect(header + format({ name: "a|b" })).toBe("| NAME |\n| --- |\n| a\\|b |\n");
  expect(await formatValue("markdown", {}, [["a", "b"]])).toBe("|  |  |\n| --- | --- |\n| a | b |\n");
});

it("prints an answer: heading, table and notes; without rows, no table", async () => {
  const text = { heading: "One.", table: { titles: ["A", "BB"], rows: [["111", "2"]] }, notes: ["Note.", "<b>"] };
  expect(await formatAnswer("table", {}, text)).toBe("One.\n\nA    BB\n111  2\n\nNote.\n<b>\n");
  expect(await formatAnswer("markdown", {}, text)).toBe(
    "**One.**\n\n| A | BB |\n| --- | --- |\n| 111 | 2 |\n\n- Note.\n- &lt;b&gt;\n",
  );
  const none = { ...text, table: { titles: ["A"], rows: [] }, notes: [] };
  expect(await formatAnswer("table", {}, none)).toBe("One.\n");
  expect(JSON.parse(await formatAnswer("json", { a: 1 }, text))).toEqual({ a: 1 });
});
