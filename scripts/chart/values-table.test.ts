import { expect, it } from "vitest";
import { object, text, textList } from "./json-schema.ts";
import { valuesTable } from "./values-table.ts";

const schema = object("All.", {
  image: object("The image.", { tag: text("The tag.", "1.0") }),
  settings: { type: "object", description: "The settings.", default: {}, properties: { url: text("The address.") } },
  tenants: {
    type: "object",
    description: "The Tenants.",
    default: {},
    additionalProperties: object("A Tenant.", { groups: textList("The groups.") }),
  },
});
const rowsOf = (table: string) => table.split("\n").slice(2);

it("has a row for each value, also for those of a map", () => {
  expect(rowsOf(valuesTable(schema, {}))).toEqual([
    '| `image.tag` | string | `"1.0"` | The tag. |',
    "| `settings` | object | `{}` | The settings. |",
    '| `settings.url` | string | `""` | The address. |',
    "| `tenants` | map of object | `{}` | The Tenants. |",
    "| `tenants.NAME.groups` | list of string | `[]` | The groups. |",
  ]);
});

it("has one row for a map that is described elsewhere, with the link and the names", () => {
  expect(rowsOf(valuesTable(schema, { settings: "[operator](operator.md)", tenants: "[Tenant](tenant.md)" }))).toEqual([
    '| `image.tag` | string | `"1.0"` | The tag. |',
    "| `settings` | object | `{}` | The settings. [operator](operator.md) describes them: `url`. |",
    "| `tenants` | map of object | `{}` | The Tenants. [Tenant](tenant.md) describes them: `groups`. |",
  ]);
});
