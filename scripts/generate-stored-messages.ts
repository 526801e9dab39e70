import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { releasedSchemas } from "#src/platform/store/schema/released-schemas.ts";
import { readCommandLine, readFlags } from "#test/support/command-line.ts";
import { changedMeanings, storedMessages } from "./stored-messages.ts";

const file = "proto/stored-messages.yaml";
const usage = `Usage: node scripts/generate-stored-messages.ts [--check | --replace]

Writes ${file}, the descriptors of the messages that the platform stores. Exits with 1 if stored data would get another
meaning. With --check, writes nothing and exits with 1 if the file is out of date. With --replace, which is possible until the first
release, accepts another meaning.
`;
const advice = `Stored data would get another meaning. Undo this: a field or value keeps its number, name and type; a new meaning
is a new field or value; the number and name of one that is removed are reserved.`;
const beforeRelease = `There is no release yet: if it has to be, raise storedForm in src/platform/store/schema/migrations.ts, so that the
data of earlier commits is refused, and run: node scripts/generate-stored-messages.ts --replace`;

const options = readCommandLine({ name: "generate-stored-messages", usage }, (args) =>
  readFlags(args, ["--check", "--replace"]),
);
const released = releasedSchemas.length > 0;
if (options.has("--replace") && released) fail("--replace is not possible: releases have stored messages");
else {
  const changed = options.has("--replace") || !existsSync(file) ? "" : changedMeanings(".", file);
  if (changed !== "") fail([changed.trimEnd(), advice, ...(released ? [] : [beforeRelease])].join("\n"));
  else update();
}

function update(): void {
  const messages = storedMessages();
  if (existsSync(file) && readFileSync(file, "utf8") === messages) return;
  if (options.has("--check")) fail(`${file} is out of date with proto/. Run npm run generate`);
  else writeFileSync(file, messages);
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
