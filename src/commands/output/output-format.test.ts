import { parseAllDocuments, parse } from "yaml";
import { expect, it } from "vitest";
import { type Column, formatManifests, formatValue, recordFormat } from "./output-format.ts";

interface Entry {
  readonly name: string;
  readonly count: number;
}
const columns: readonly Column<Entry>[] = [
  { title: "NAME", of: ({ name }) => name, width: 6 },
  { title: "COUNT", of: ({ count }) => String(count), width: 5 },
];
const entries: readonly Entry[] = [
  { name: "a", count: 1 },
  { name: "longer than the column", count: 22 },
];

async function printed(format: "table" | "json" | "yaml"): Promise<string> {
  const { header, format: one } = await recordFormat(format, columns);
  return header + entries.map(one).join("");
}

it("prints records as a table, as lines of JSON, and as documents of YAML", async () => {
  expect(await printed("table")).toBe("NAME    COUNT\na       1\nlonger than the column  22\n");
  expect(
    (await printed("json"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(entries);
  expect(parseAllDocuments(await printed("yaml")).map((one) => one.toJS())).toEqual(entries);
});

it("prints an object twice if a value has it twice: many readers of YAML refuse hundreds of aliases", async () => {
  const shared = { name: "a" };
  expect(await formatValue("yaml", [shared, shared], [])).toBe("- name: a\n- name: a\n");
});

it("prints one value in each format", async () => {
  const value = { version: "1.0", built: true };
  const rows = [
    ["version", "1.0"],
    ["built", "yes"],
  ] as const;
  expect(await formatValue("table", value, rows)).toBe("version  1.0\nbuilt    yes\n");
  expect(JSON.parse(await formatValue("json", value, rows))).toEqual(value);
  expect(parse(await formatValue("yaml", value, rows))).toEqual(value);
});

it("prints manifests as kubectl reads them", async () => {
  const manifests = [{ kind: "ConfigMap" }, { kind: "Tenant" }];
  expect(await formatManifests("yaml", manifests)).toBe("kind: ConfigMap\n---\nkind: Tenant\n");
  expect(JSON.parse(await formatManifests("json", manifests))).toEqual({
    apiVersion: "v1",
    kind: "List",
    items: manifests,
  });
});
