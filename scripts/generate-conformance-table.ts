// Writes test/platform/conformance/requirements.md from the requirements and cases beside it. With --check it writes nothing,
// and fails if the file is out of date.
import { sections } from "#test/platform/conformance/suite.ts";
import { tableOf } from "#test/platform/conformance/table.ts";
import { writeGenerated } from "./generated-files.ts";

await writeGenerated(
  "test/platform/conformance",
  new Map([["test/platform/conformance/requirements.md", tableOf(sections)]]),
);
