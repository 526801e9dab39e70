import type { Requirement, Section } from "./requirement.ts";

const introduction = `# The contract, requirement by requirement

Generated from test/platform/conformance by \`npm run generate\`. Do not edit.

For each requirement of the contract, this page lists the cases that check it and the transports that they run over, the
requirements whose cases check it, too, or the reason why no client can check it. \`npm run conformance -- --url URL --token-file FILE --grpc HOST:PORT\` runs the
cases against any platform that implements the contract; \`--case ID\` runs those of one requirement.
[test/platform/conformance](README.md) explains how to write a case.
`;

const parts = {
  contract: "What the contract says",
  decided: "What the contract leaves open, as this project decided it",
} as const satisfies Record<Section["origin"], string>;

/** The requirements with their cases, as Markdown. */
export function tableOf(all: readonly Section[]): string {
  const markdown = Object.entries(parts).flatMap(([origin, title]) => {
    const sections = all.filter((section) => section.origin === origin);
    return sections.length === 0 ? [] : [`## ${title}\n`, ...sections.map(markdownOf)];
  });
  return [introduction, ...markdown].join("\n");
}

function markdownOf({ title, requirements }: Section): string {
  const rows = requirements.map(
    (requirement) => `| ${requirement.id} | ${escaped(requirement.text)} | ${casesOf(requirement)} |`,
  );
  return [`### ${title}\n`, "| id | requirement | cases |", "|---|---|---|", ...rows, ""].join("\n");
}

function casesOf(requirement: Requirement): string {
  if ("coveredBy" in requirement) return `those of ${requirement.coveredBy.join(", ")}`;
  if ("untested" in requirement) return `not tested: ${escaped(requirement.untested)}`;
  return requirement.cases
    .map(({ name, transports }) => {
      const over = transports.map((transport) => (transport === "rest" ? "REST" : "gRPC")).join(", ");
      return name === "" ? over : `${escaped(name)} (${over})`;
    })
    .join("; ");
}

/** Escapes text for a table cell: code between backticks is literal, except for `|`, which would end the cell. */
function escaped(text: string): string {
  const segments = text.replaceAll("|", "\\|").split("`");
  return segments.map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "&lt;") : part)).join("`");
}
