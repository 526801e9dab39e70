import { globSync, readFileSync } from "node:fs";
import type Token from "markdown-it/lib/token.mjs";
import { expect, it } from "vitest";
import { parsePage } from "./page-parser.ts";
import { readSources } from "./sources.ts";

/** Of others, or put together from parts. */
const notInTheSource = [
  "failed to configure policy", // Kubernetes
  "failed to configure binding",
  "the identity provider is unreachable, or does not have a public address",
  "the identity provider responded with HTTP status",
  "its discovery document has no authorization_endpoint",
];

/** With the admission policies, which have messages of their own. */
const program = globSync(["src/**/*.ts", "deploy/kustomize/**/*.yaml"], {
  exclude: (name) => /\.test\.ts$|^gen$/.test(name),
})
  .map((path) => readFileSync(path, "utf8"))
  .join("\n")
  .replaceAll(/\s+/g, " ");

/** The code in the first column of each table whose rows are messages and their fixes. */
function messagesIn(tokens: readonly Token[]): readonly string[] {
  const messages: string[] = [];
  let listsMessages = false;
  tokens.forEach((token, index) => {
    const cell = tokens[index + 1];
    const isFirst = tokens[index - 1]?.type === "tr_open";
    if (token.type === "th_open" && isFirst) listsMessages = /^message\b/.test(cell?.content ?? "");
    if (token.type !== "td_open" || !isFirst || !listsMessages) return;
    for (const { type, content } of cell?.children ?? []) if (type === "code_inline") messages.push(content);
  });
  return messages;
}

/** The parts between what differs from message to message. */
function constantParts(message: string): readonly string[] {
  const parts = message.split(/…|\d+|HOST:PORT| \(/).map((part) => part.replace(/^[ :(]+|[ :(]+$/g, ""));
  return parts.filter((part) => part.split(" ").length > 2);
}

it("a message in a table of messages is one that the program prints", () => {
  const parts = readSources().flatMap((source) =>
    messagesIn(parsePage(source).tokens)
      .flatMap(constantParts)
      .map((part) => ({ path: source.path, part })),
  );
  expect(parts.length).toBeGreaterThan(40);
  expect(parts.filter(({ part }) => !program.includes(part) && !notInTheSource.includes(part))).toEqual([]);
});
