import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { behaviorOf } from "../contract/field-behavior.ts";
import { limitsOf } from "../contract/field-limits.ts";
import { textRuleOf } from "../contract/field-rules.ts";
import { isOneofRequired } from "../contract/required-oneofs.ts";
import { comments } from "../gen/comments.ts";
import type { Schema } from "./schema.ts";

/** Collects the JSON schemas of messages and of the messages that they contain, each once, by name. */
export class MessageSchemas {
  readonly #schemas = new Map<string, Schema>();

  /** All schemas, sorted by name. */
  all(): Record<string, Schema> {
    return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A reference to the schema of the message; for a well-known type, the schema itself. */
  of(desc: DescMessage): Schema {
    const wellKnown = wellKnownTypes[desc.typeName];
    if (wellKnown !== undefined) return wellKnown;
    const name = desc.typeName.replace(/^muster\.(platform\.)?/, "");
    if (!this.#schemas.has(name)) {
      // Registered before its fields are visited, because messages may be recursive.
      this.#schemas.set(name, {});
      this.#schemas.set(name, this.#describe(desc));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The schema of the value of a field, without its annotations. */
  ofField(field: DescField): Schema {
    switch (field.fieldKind) {
      case "scalar":
        return { ...ofScalar(field.scalar), ...ruled(field) };
      case "enum":
        return ofEnum(field);
      case "message":
        return this.of(field.message);
      case "list":
        return { type: "array", items: this.#ofItem(field), ...listLimit(field) };
      case "map":
        return { type: "object", additionalProperties: this.#ofItem(field), ...mapLimits(field) };
    }
  }

  #ofItem(field: DescField & { fieldKind: "list" | "map" }): Schema {
    if (field.message !== undefined) return this.of(field.message);
    if (field.enum !== undefined) return ofEnum(field);
    return { ...ofScalar(field.scalar), ...ruled(field) };
  }

  #describe(desc: DescMessage): Schema {
    const properties = desc.fields.map((field) => [field.jsonName, this.#property(field)] as const);
    return {
      type: "object",
      ...described(comments.get(desc.typeName)),
      properties: Object.fromEntries(properties),
      additionalProperties: false,
      ...exclusive(desc),
    };
  }

  #property(field: DescField): Schema {
    const { readOnly, writeOnly, immutable, required } = behaviorOf(field);
    const schema = this.ofField(field);
    const isChoice = field.oneof !== undefined && isOneofRequired(field.oneof);
    const siblings = field.oneof?.fields.filter((other) => other !== field).map(({ jsonName }) => jsonName) ?? [];
    return {
      ...(isInRequests(field) && !readOnly && !required && !isChoice ? orNull(schema) : schema),
      ...described(
        comments.get(`${field.parent.typeName}.${field.name}`),
        immutable ? "Cannot be changed after creation." : undefined,
        siblings.length === 0 ? undefined : `Not together with ${siblings.join(" or ")}.`,
      ),
      ...(readOnly ? { readOnly } : {}),
      ...(writeOnly ? { writeOnly } : {}),
    };
  }
}

/** In a request, `null` stands for the default of a field. */
function orNull(schema: Schema): Schema {
  const { $ref, type, enum: values } = schema;
  if ($ref !== undefined) return { anyOf: [{ $ref }, { type: "null" }] };
  if (type === undefined) return schema;
  const types = typeof type === "string" ? ([type, "null"] as const) : ([...type, "null"] as const);
  return { ...schema, type: types, ...(values === undefined ? {} : { enum: [...values, null] }) };
}

/** At most one member of a oneof is set, so every pair of them is excluded. */
function exclusive({ oneofs }: DescMessage): Pick<Schema, "not"> {
  const pairs = oneofs.flatMap(({ fields }) =>
    fields.flatMap(({ jsonName: first }, index) =>
      fields.slice(index + 1).map(({ jsonName: second }) => ({ required: [first, second] })),
    ),
  );
  return pairs.length === 0 ? {} : { not: { anyOf: pairs } };
}

/** The rule that the platform checks for a string field. */
function ruled(field: DescField): Pick<Schema, "pattern" | "maxLength" | "format"> {
  if (field.scalar !== ScalarType.STRING) return {};
  const { textLength } = limitsOf(field);
  const rule = textRuleOf(field);
  if (rule === undefined) return isInRequests(field) ? { maxLength: textLength } : {};
  const { pattern, maxLength = textLength, format } = rule;
  return { pattern: pattern.source, maxLength, ...(format === undefined ? {} : { format }) };
}

function listLimit(field: DescField): Pick<Schema, "maxItems" | "minItems"> {
  if (!isInRequests(field)) return {};
  return { maxItems: limitsOf(field).items, ...(behaviorOf(field).required ? { minItems: 1 } : {}) };
}

function mapLimits(field: DescField): Pick<Schema, "maxProperties" | "propertyNames"> {
  if (!isInRequests(field)) return {};
  const { entries, keyLength } = limitsOf(field);
  return { maxProperties: entries, propertyNames: { maxLength: keyLength } };
}

/** Whether requests contain the message of the field. Responses have lists of any length, and tokens. */
function isInRequests({ parent: { name } }: DescField): boolean {
  return !/(Response|List|Token|TokenPair)$/.test(name);
}

/** The members that are required on create, including those of nested messages. */
export function requirementsOf(desc: DescMessage): Pick<Schema, "required" | "properties" | "allOf"> {
  const choices = desc.oneofs
    .filter(isOneofRequired)
    .map(({ fields }) => ({ anyOf: fields.map(({ jsonName }) => ({ required: [jsonName] })) }));
  const required = desc.fields.filter((field) => behaviorOf(field).required).map(({ jsonName }) => jsonName);
  const nested = desc.fields.flatMap((field): [string, Schema][] => {
    if (field.fieldKind !== "message" || behaviorOf(field).readOnly) return [];
    const inner = requirementsOf(field.message);
    return Object.keys(inner).length === 0 ? [] : [[field.jsonName, inner]];
  });
  return {
    ...(required.length === 0 ? {} : { required }),
    ...(choices.length === 0 ? {} : { allOf: choices }),
    ...(nested.length === 0 ? {} : { properties: Object.fromEntries(nested) }),
  };
}

export function described(...sentences: (string | undefined)[]): { description?: string } {
  const description = sentences.filter((sentence) => sentence !== undefined).join(" ");
  return description === "" ? {} : { description };
}

const wellKnownTypes: Readonly<Record<string, Schema>> = {
  "google.protobuf.Struct": { type: "object" },
  "google.protobuf.Value": {},
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", pattern: "^-?\\d{1,12}(\\.\\d{1,9})?s$" },
  "google.protobuf.FieldMask": { type: "string" },
};

/** The scalar types that the contract uses. */
const scalars: Partial<Record<ScalarType, Schema>> = {
  [ScalarType.BOOL]: { type: "boolean" },
  [ScalarType.INT32]: { type: "integer", format: "int32" },
  // JSON numbers are exact only up to 53 bits, so 64-bit integers are strings.
  [ScalarType.INT64]: { type: "string", format: "int64", pattern: "^-?\\d{1,19}$" },
  [ScalarType.STRING]: { type: "string" },
};

function ofScalar(scalar: ScalarType): Schema {
  const schema = scalars[scalar];
  if (schema === undefined) throw new Error(`the contract has no field of scalar type ${ScalarType[scalar]}`);
  return schema;
}

/** A request has the name or the number of an enum value, as protobuf JSON allows; a response has the name. */
function ofEnum(field: DescField): Schema {
  const values = field.enum?.values ?? [];
  return {
    type: ["string", "integer"],
    enum: [...values.map(({ name }) => name), ...values.map(({ number }) => number)],
  };
}
