import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { releasedSchemas } from "./released-schemas.ts";
import { schemaDigest } from "./schema-version.ts";

it("has the digest of each migration of a release: none of them was changed or removed", () => {
  expect(releasedSchemas.map((_, index) => schemaDigest(index + 1))).toEqual(releasedSchemas);
});

it("has the schema of a release as soon as the changelog has a release", () => {
  const changelog = readFileSync(new URL("../../../../CHANGELOG.md", import.meta.url), "utf8");
  const releases = changelog.match(/^## \[?\d+\.\d+\.\d+/gm) ?? [];
  expect(releases.length === 0 || releasedSchemas.length > 0).toBe(true);
});
