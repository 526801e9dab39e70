import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { dottedCapability } from "#src/access/capability-name.ts";
import { customResourceDefinition, type StructuralSchema } from "#src/api/crd.ts";
import { apiVersion, type Resource } from "#src/api/custom-resource.ts";
import { readingCapabilities } from "#src/commands/reader/reading-capabilities.ts";
import { ci, group, imported, objectsOf, shop, viewer } from "#src/import/imported.testing.ts";
import type { Fields } from "#src/kinds/fields.ts";
import type { IssuedCode } from "#src/kinds/identification.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { readForm } from "#src/plan/read-form.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { collectionPath, contractServices, pathsIn, settable } from "#src/platform/tests/contract-fields.testing.ts";
import { cases } from "./cases.ts";

// Which fields there are, the schemas and the contract say. A field that one of them gets later fails here until a valid manifest has
// it, and it reaches the platform, is compared with what the platform has, and is imported.

/** Fields that say how an object is managed, and not what the resource is: the policy reads them. */
const howManaged = new Set(["policy", "uid", "undeclared", "allowedNamespaces", "expiresAt"]);
/** What only the platform's admin can set. */
const onlyAdmin = ["Group.resourceLimits", "Group.verified"];

const uids = { parent: shop, identity: ci, role: viewer.uid };
const context = { serviceAccounts: { issuer: "https://kubernetes.example.com", audience: "muster" } };
const services = await contractServices();

describe.each<{ name: string; kind: Kind }>(kinds.map((kind) => ({ name: kind.name, kind: kind as Kind })))(
  "$name",
  ({ name, kind }) => {
    const { api, name: collection, uids: scheme } = kind.collection;
    const code = codeOf(kind);
    const objects = cases[name as keyof typeof cases].valid.map(({ spec }) => objectOf(kind, spec));
    const fields = [...leaves(specSchemaOf(kind))].filter(([first = ""]) => !howManaged.has(first));
    const written = (resource: Resource) => kind.desired(resource, uids, context);
    const externalOf = (desired: Fields): ExternalResource => {
      const body = readForm(present(desired), { nameOf: () => viewer.name, now: 0 });
      return kind.collection.schema.parse({ ...body, uid: scheme.isSingleton ? shop : `${shop}/00000000000000f1` });
    };
    /** Whether a change of the field changes what is written, or what is read to write it. */
    const counts = (field: Path, resource: Resource) => {
      const spec = changed(resource.spec, field) as Resource["spec"] | undefined;
      return spec !== undefined && effect(kind, { ...resource, spec }) !== effect(kind, resource);
    };

    it("has every field of its schema in a valid manifest", () => {
      const missing = fields.filter((field) => !objects.some(({ spec }) => changed(spec, field) !== undefined));
      expect(missing.map(String)).toEqual([]);
    });

    it("writes every field of its schema", () => {
      expect(fields.filter((field) => !objects.some((one) => counts(field, one))).map(String)).toEqual([]);
    });

    it("compares everything that it writes, and nothing else", () => {
      const compared = objects.flatMap((one) => {
        const desired = written(one);
        const actual = kind.actual(externalOf(desired), desired);
        expect(Object.fromEntries(Object.keys(desired).map((field) => [field, actual[field]]))).toEqual(desired);
        return Object.keys(actual);
      });
      const wanted = new Set(objects.flatMap((one) => Object.keys(written(one))));
      expect(compared.filter((field) => !wanted.has(field))).toEqual([]);
    });

    // What has a code is not imported.
    const itIfImported = code === undefined ? it : () => undefined;
    itIfImported("imports everything that it writes", () => {
      const covered = objects.filter((one) => {
        const external = externalOf(written(one));
        const tree = imported({ groups: [group], [collection]: [...(name === "Group" ? [group] : []), external] });
        // Something of it cannot be declared, and the import says so.
        if (tree.exceptions.some(({ uid }) => uid === external.uid)) return false;
        const found = objectsOf(tree)
          .filter((object) => object.kind === name)
          .at(-1);
        expect(externalOf(written(objectOf(kind, found?.spec ?? {})))).toEqual(external);
        return true;
      });
      const writing = fields.filter((field) => objects.some((one) => counts(field, one)));
      expect(writing.filter((field) => !covered.some((one) => counts(field, one))).map(String)).toEqual([]);
    });

    /** What is sent to create the resource, with everything that is not in `desired`. */
    const sent = (resource: Resource) => {
      const body = present(written(resource));
      const withSecret = kind.secret === null ? body : kind.secret.withValue(body, "secret");
      return code?.expiringAt(withSecret, 1000) ?? withSecret;
    };
    const create = services
      .flatMap(({ methods }) => methods)
      .find((method) => method.name.startsWith("Create") && collectionPath(method) === `/${api}/${collection}`);
    const sentFields = (resource: Resource) =>
      create === undefined ? [] : [...pathsIn(create.output, sent(resource) as JsonObject)];

    it("can send every field of the contract", () => {
      const given = new Set(objects.flatMap(sentFields));
      const never =
        create === undefined ? ["everything"] : [...settable(create.output)].filter((one) => !given.has(one));
      expect(never.map((field) => `${name}.${field}`).filter((field) => !onlyAdmin.includes(field))).toEqual([]);
    });

    it("says which field of the spec an error about a field of the contract means", () => {
      const inSpec = new Set(nodes(specSchemaOf(kind), "spec"));
      const wrong = objects.flatMap((one) => {
        const given = sentFields(one);
        const leaf = given.filter((field) => !given.some((other) => other.startsWith(`${field}.`)));
        return leaf.map((field) => kind.specPath(field, one)).filter((path) => !inSpec.has(path));
      });
      expect(wrong).toEqual([]);
    });

    it("can be read by the commands that assume an identity to read", () => {
      expect(readingCapabilities).toContain(dottedCapability(kind.collection.listCapability));
    });
  },
);

type Path = readonly string[];

function objectOf(kind: Kind, spec: object): Resource {
  const metadata = { name: "one", namespace: "team" };
  const parsed = kind.definition.specSchema.parse(JSON.parse(JSON.stringify(spec)));
  return { apiVersion, kind: kind.name, metadata, spec: parsed };
}

function specSchemaOf({ definition }: Kind): StructuralSchema {
  const schema = customResourceDefinition(definition).spec.versions[0]?.schema.openAPIV3Schema as StructuralSchema;
  return schema.properties?.["spec"] ?? { type: "object" };
}

/** The paths of the fields that consist of one value. `[]` is an item of a list, `{}` a value of a map. */
function* leaves(schema: StructuralSchema, path: Path = []): Generator<Path> {
  const { properties, items, additionalProperties } = schema;
  if (properties !== undefined)
    for (const [field, inner] of Object.entries(properties)) yield* leaves(inner, [...path, field]);
  else if (items !== undefined) yield* leaves(items, [...path, "[]"]);
  else if (typeof additionalProperties === "object") yield* leaves(additionalProperties, [...path, "{}"]);
  else yield path;
}

/** The paths of all fields, as messages name them. */
function* nodes({ properties = {}, items, additionalProperties }: StructuralSchema, path: string): Generator<string> {
  yield path;
  for (const [field, inner] of Object.entries(properties)) yield* nodes(inner, `${path}.${field}`);
  if (items !== undefined) yield* nodes(items, path);
  if (typeof additionalProperties === "object") yield* nodes(additionalProperties, path);
}

/** The value with another one at the path; undefined if it has none there. */
function changed(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return another(value);
  if (typeof value !== "object" || value === null) return undefined;
  const [key = ""] = step === "[]" || step === "{}" ? Object.keys(value) : [step];
  const inner = changed((value as Fields)[key], rest);
  if (inner === undefined) return undefined;
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner };
}

function another(value: unknown): unknown {
  if (typeof value === "string") return `${value}x`;
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : undefined;
}

/** Everything that follows from a spec: what is written, and which objects and Secrets are read for it. */
function effect(kind: Kind, resource: Resource): string {
  return JSON.stringify([
    kind.desired(resource, uids, context),
    kind.references(resource),
    kind.secret?.referenceOf(resource),
    codeOf(kind)?.secretNameOf(resource),
  ]);
}

/** The code that is returned when a resource of the kind is created; undefined if there is none. */
function codeOf({ identification }: Kind): IssuedCode | undefined {
  return identification.by === "secret" ? identification.code : undefined;
}

/** A body as it is sent: without what is to be absent. */
function present(desired: Fields): Fields {
  return Object.fromEntries(Object.entries(desired).filter(([, value]) => value !== null));
}
