import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { annotations } from "#src/api/annotations.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { builtinRoles } from "#src/platform/authorization/builtin-roles.ts";
import { allCapabilities, dottedNameOf } from "#src/platform/authorization/capability.ts";

const read = (path: string) => readFileSync(path, "utf8");
const code = (name: string) => `\`${name}\``;

/** The names of a union of literals, or of the fields of an interface: what no value of the program has. */
function namesIn(path: string, declaration: RegExp, name: RegExp): readonly string[] {
  const [body = ""] = declaration.exec(read(path)) ?? [];
  return [...body.matchAll(name)].map(([, found = ""]) => found);
}

/** The fields of a part of a custom resource. */
function fieldsOf(plural: string, ...path: readonly string[]): readonly string[] {
  let schema = parse(read(`crds/${plural}.yaml`)).spec.versions[0].schema.openAPIV3Schema;
  for (const name of path) schema = schema.properties[name];
  return schema.enum ?? Object.keys(schema.properties);
}

const foldersIn = (folder: string) => globSync("*/", { cwd: folder }).map((name) => name.replace(/\/$/, ""));

const definitions = [...kinds.map(({ definition }) => definition), tenantDefinition];

/** Of each list that somebody wrote by hand: the page, what it lists, and how it names each. */
const lists: readonly (readonly [page: string, what: string, names: readonly string[]])[] = [
  ["docs/operator.md", "the kinds", definitions.flatMap(({ kind, shortNames }) => [kind, ...shortNames].map(code))],
  [
    "docs/operator.md",
    "the annotations of its objects",
    annotations.filter(({ effect }) => !/^Only on a (?:Secret|Service)/.test(effect)).map(({ name }) => `\`${name}:`),
  ],
  ["docs/glossary.md", "the kinds", kinds.map(({ name }) => code(name))],
  ["docs/reference/tenants.md", "the fields of a Tenant", fieldsOf("tenants", "spec").map(code)],
  ["docs/reference/exchange.md", "what a client needs", fieldsOf("identities", "status", "exchange").map(code)],
  [
    "docs/reference/ownership.md",
    "the policies of deletion",
    fieldsOf("groups", "spec", "policy", "deletion").map(code),
  ],
  ["docs/reference/undeclared-access.md", "what can be undeclared", kinds.map(({ noun }) => nameOfUndeclared(noun))],
  ["docs/platform.md", "the capabilities of the built-in roles", capabilityRows()],
  [
    "docs/operate/security-log.md",
    "actions and forms",
    [
      ...namesIn("src/platform/audit/audit-record.ts", /type ChangeAction = .*/, /"(\w+)"/g),
      ...namesIn("src/platform/audit/audit-record.ts", /type EventAction =[^;]*/, /"(\w+)"/g),
      ...namesIn("src/platform/audit/audit-record.ts", /type RecordForm = .*/, /"(\w+)"/g),
    ].map(code),
  ],
  ["deploy/README.md", "the charts", foldersIn("deploy/helm").map((name) => `[${code(name)}]`)],
  [
    "deploy/README.md",
    "the components",
    foldersIn("deploy/kustomize/components").map((name) => code(`components/${name}`)),
  ],
  ["deploy/README.md", "the overlays", foldersIn("deploy/kustomize/overlays").map((name) => code(`overlays/${name}`))],
  [
    "CONTRIBUTING.md",
    "the invariants of the campaign",
    globSync("test/operator/campaign/*.ts").flatMap((path) =>
      [...read(path).matchAll(/[`"]([A-Z]): /g)].map(([, letter = ""]) => `| ${letter} |`),
    ),
  ],
  [
    "CONTRIBUTING.md",
    "the scripts of package.json",
    Object.keys((JSON.parse(read("package.json")) as { readonly scripts: object }).scripts).map((name) =>
      name === "test" ? "`npm test`" : `\`npm run ${name}`,
    ),
  ],
  [
    "CONTRIBUTING.md",
    "what is generated",
    globSync("scripts/generate-*.ts").flatMap((path) =>
      [...read(path).matchAll(/\["((?:deploy|docs|proto|test)\/[^"]+?)(?:dashboard\.json)?"/g)].map(([, file = ""]) =>
        code(file),
      ),
    ),
  ],
];

/** The table of capabilities: for each kind of resource, the verbs of each role. */
function capabilityRows(): readonly string[] {
  const resources = [...new Set(allCapabilities.map((capability) => dottedNameOf(capability).split(".")[0] ?? ""))];
  const rows = resources.toSorted().map((resource) => [
    code(resource),
    ...builtinRoles.map(({ capabilities }) => {
      const names = [...capabilities].map(dottedNameOf).filter((name) => name.startsWith(`${resource}.`));
      return names.length === 0
        ? "–"
        : names
            .map((name) => name.slice(resource.length + 1))
            .toSorted()
            .join(", ");
    }),
  ]);
  return [["", ...builtinRoles.map(({ name }) => code(name))], ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

/** What the pages call a resource of the kind. */
function nameOfUndeclared(noun: string): string {
  if (noun === "group invite") return "invites";
  return noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

describe("a list in a page has all that the code has", () => {
  it.each(lists)("%s: %s", (page, _what, names) => {
    expect(names.length).toBeGreaterThan(1);
    const text = read(page);
    expect([...new Set(names)].filter((name) => !text.includes(name))).toEqual([]);
  });
});
