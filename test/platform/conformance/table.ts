import type { Chapter, Sentence } from "./sentence.ts";

const introduction = `# The contract, sentence by sentence

Generated from test/platform/conformance by \`npm run generate\`. Do not edit.

Which cases show that a sentence of the contract holds, and over what; or why a sentence cannot be tried from outside.
\`npm run conformance -- --url URL --token-file FILE --grpc HOST:PORT\` runs them against a platform, this project's or
another's; \`--case ID\` those of one sentence. How cases are written: [test/platform/conformance](../test/platform/conformance/README.md).
`;

const parts = {
  contract: "What the contract says",
  decided: "What the contract leaves open, as this project decided it",
} as const satisfies Record<Chapter["origin"], string>;

/** Sentence → case, as Markdown. */
export function tableOf(chapters: readonly Chapter[]): string {
  const sections = Object.entries(parts).flatMap(([origin, title]) => {
    const those = chapters.filter((chapter) => chapter.origin === origin);
    return those.length === 0 ? [] : [`## ${title}\n`, ...those.map(sectionOf)];
  });
  return [introduction, ...sections].join("\n");
}

function sectionOf({ title, sentences }: Chapter): string {
  const rows = sentences.map((sentence) => `| ${sentence.id} | ${escaped(sentence.says)} | ${triedBy(sentence)} |`);
  return [`### ${title}\n`, "| sentence | says | cases |", "|---|---|---|", ...rows, ""].join("\n");
}

function triedBy(sentence: Sentence): string {
  if ("untried" in sentence) return `not tried: ${escaped(sentence.untried)}`;
  return sentence.cases
    .map(({ name, over }) => {
      const transports = over.map((transport) => (transport === "rest" ? "REST" : "gRPC")).join(", ");
      return name === "" ? transports : `${escaped(name)} (${transports})`;
    })
    .join("; ");
}

/** Markdown's own signs in a cell; what is between backticks is shown as it is, but for what ends the cell. */
function escaped(text: string): string {
  const segments = text.replaceAll("|", "\\|").split("`");
  return segments.map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "&lt;") : part)).join("`");
}
