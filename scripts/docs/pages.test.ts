import { describe, expect, it } from "vitest";
import { reasons } from "#src/api/reason.ts";
import { explanations } from "#src/commands/explanations.ts";
import { audienceOf } from "./audience.ts";
import { blockMistakes } from "./check-blocks.ts";
import { checkLinks } from "./check-links.ts";
import { commandMistakes } from "./command-checker.ts";
import { parsePage } from "./page-parser.ts";
import { contentsPath, readSources } from "./sources.ts";

const pages = readSources().map(parsePage);
const pageOf = (text: string) =>
  parsePage({ path: "docs/example.md", text: `# Example\n\n${text}`, page: "example.html" });

it("every page is reached by links, and every link leads to a file and a heading", () => {
  expect(checkLinks(pages)).toEqual([]);
});

it("finds links that lead nowhere", () => {
  const index = parsePage({
    path: "docs/README.md",
    text: "# Index\n\n[a](tutorial.md#no-such-heading) [b](missing.md) [c](#index)\n",
    page: "index.html",
  });
  const tutorial = pages.filter(({ source }) => source.path === "docs/tutorial.md");
  expect(
    checkLinks([index, ...tutorial, pageOf("")]).filter((mistake) => !mistake.startsWith("docs/tutorial")),
  ).toEqual([
    'docs/README.md: docs/tutorial.md has no heading for the link "tutorial.md#no-such-heading" (line 3)',
    'docs/README.md: the link "missing.md" leads to no file (line 3)',
    "docs/example.md: no page links to it; list it in docs/README.md",
  ]);
});

it.each([
  ["docs/reference/conditions.md", Object.keys(reasons).map((reason) => reason.toLowerCase())],
  ["docs/reference/errors.md", Object.keys(explanations)],
])("every address in %s that a message prints is a heading", (path, anchors) => {
  const headings = pages.find(({ source }) => source.path === path)?.headings ?? [];
  expect(headings.map(({ id }) => id)).toEqual(expect.arrayContaining(anchors));
});

it("a page says first who reads it, for which task", () => {
  const all = pages.filter(({ source }) => source.path.startsWith("docs/") && source.path !== contentsPath);
  const formless = all.filter((page) => audienceOf(page) === undefined);
  expect(all.length).toBeGreaterThan(90);
  expect(formless.map(({ source }) => source.path)).toEqual([]);
});

it("a guide says last what is next", () => {
  const guides = pages.filter(({ source }) =>
    /^docs\/(?:concepts|how-to|operate|tutorial)[\w/-]*\.md$/.test(source.path),
  );
  const endless = guides.filter(({ headings }) => headings.findLast(({ level }) => level === 2)?.text !== "Next");
  expect(guides.length).toBeGreaterThan(15);
  expect(endless.map(({ source }) => source.path)).toEqual([]);
});

describe("code blocks", () => {
  it.each(pages.filter(({ fences }) => fences.length > 0))("$source.path", async (page) => {
    expect(await blockMistakes(page)).toEqual([]);
  });

  it.each([
    ["a block without a language", "```\na\n```", "the block has no language: sh, yaml, json, or text for output"],
    [
      "a language that nothing runs",
      "```ruby\na\n```",
      "no test runs a block of ruby: make it equal to a file in examples/ that a test runs",
    ],
    [
      "an exemption without a reason",
      "<!-- not run -->\n\n```sh\na\n```",
      "say why the block is not run: <!-- not run: REASON -->",
    ],
    ["JSON with a comma too many", "```json\n{,}\n```", expect.stringContaining("JSON")],
    ["a script with a missing quote", "```sh\necho 'a\n```", expect.stringContaining("unexpected EOF")],
    [
      "a manifest that the schema rejects",
      "```yaml\napiVersion: iam.muster.dev/v1beta1\nkind: Group\nmetadata: {name: a}\nspec: {parentUid: x}\n```",
      expect.stringContaining("Group: spec.parentUid"),
    ],
    [
      "a kind that does not exist",
      "```yaml\napiVersion: iam.muster.dev/v1beta1\nkind: Grup\n```",
      "Grup is not a kind of Muster",
    ],
  ])("reports %s", async (_what, text, mistake) => {
    const found = await blockMistakes(pageOf(text));
    expect(found.map((one) => one.replace(/^docs\/example\.md:\d+: /, ""))).toContainEqual(mistake);
  });

  it("accepts an exemption with a reason", async () => {
    expect(await blockMistakes(pageOf("<!-- not run: needs a cloud -->\n\n```sh\nunknown-program\n```"))).toEqual([]);
  });
});

it.each([
  ["muster operater", '"muster operater" is not a command'],
  ["muster platform bakcup", '"muster platform bakcup" is not a command'],
  ["A=1 muster operator --rot-group X", '"muster operator" has no --rot-group'],
  ['x=$(muster token "$(muster version --colour)")', '"muster version" has no --colour'],
  ["npm run dmeo", '"npm run dmeo" is not a script of package.json'],
  ["npm run demo --keep", '"npm run demo" needs -- before --keep: npm takes them as its own'],
  ["npm run demo -- --kep", '"npm run demo" has no --kep'],
  ["npm run bench -- operator --cases get", '"npm run bench -- operator" has no --cases'],
  ["kubectl -n a get mgrup", '"mgrup" is not a kind of Muster'],
  ["kubectl aply -f a", '"kubectl aply" is unknown in scripts/docs/tool-flags.ts'],
  ["kubectl get a --outptu b", '"kubectl get" has no --outptu, as far as scripts/docs/tool-flags.ts knows'],
  ["helm install a b --wiat", '"helm install" has no --wiat, as far as scripts/docs/tool-flags.ts knows'],
  ["kubectl apply -f examples/shop.yaml", "examples/shop.yaml is not in the repository"],
  ["kubeclt get a", 'the program "kubeclt" is unknown: correct it, or add it in scripts/docs/command-checker.ts'],
])("reports the mistake in: %s", async (script, mistake) => {
  expect(await commandMistakes(script)).toContain(mistake);
});
