import { type Schema as JsonSchema, Validator } from "@cfworker/json-schema";

/** The part of JSON Schema that OpenAPI documents use, as far as requests are made from it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly not?: { readonly anyOf?: readonly { readonly required?: readonly string[] }[] };
  readonly readOnly?: boolean;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

/** An operation of the document. */
export interface Operation {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** As in the document, with `{uid}`. */
  readonly path: string;
  readonly query: readonly Parameter[];
  /** Of a JSON body; undefined where it takes none. */
  readonly body: Schema | undefined;
  readonly takesForms: boolean;
  /** What is wrong with the JSON of a successful answer; undefined where the answer has no body. */
  readonly mistakesOfAnswer: ((json: unknown) => string[]) | undefined;
}

interface RawOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

interface RawDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An OpenAPI document of a platform, ready to make requests by and to hold answers against. */
export class ApiDocument {
  readonly operations: readonly Operation[];
  /** What is wrong with the JSON of an error. */
  readonly mistakesOfError: (json: unknown) => string[];
  readonly #document: RawDocument;
  readonly #byMethod = new Map<string, { readonly matches: RegExp; readonly operation: Operation }[]>();

  constructor(json: unknown) {
    this.#document = json as RawDocument;
    const { paths, components } = this.#document;
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, raw]) => this.#operation(method.toUpperCase(), path, raw)),
    );
    // Paths without a variable first, so that a custom method is not taken for a uid.
    for (const operation of this.operations.toSorted(
      (a, b) => Number(a.path.includes("{")) - Number(b.path.includes("{")),
    ))
      this.#byMethod.set(operation.method, [
        ...(this.#byMethod.get(operation.method) ?? []),
        { matches: expressionOf(operation.path), operation },
      ]);
    this.mistakesOfError = this.mistakesOf(components.schemas["Error"] ?? {});
  }

  /** The schema that a reference names, or the schema itself; what stands beside the reference holds too. */
  resolve(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const { $ref, ...beside } = schema;
    const found = this.#document.components.schemas[$ref.replace("#/components/schemas/", "")];
    if (found === undefined) throw new Error(`the document has no ${$ref}`);
    return merged(this.resolve(found), beside);
  }

  /** What answers a request with such a path, as it is on the wire, without its query. */
  operationAt(method: string, path: string): Operation | undefined {
    return this.#byMethod.get(method)?.find(({ matches }) => matches.test(path))?.operation;
  }

  /** @returns what is wrong with a value by a schema of the document */
  mistakesOf(schema: Schema): (json: unknown) => string[] {
    const { components } = this.#document;
    const validator = new Validator({ ...schema, components } as unknown as JsonSchema, "2020-12", false);
    return (json) => {
      const { errors } = validate(validator, json);
      // What is wrong deep inside is told again at each level above.
      const depth = Math.max(0, ...errors.map(({ instanceLocation }) => instanceLocation.length));
      const deepest = errors.filter(({ instanceLocation }) => instanceLocation.length === depth);
      return deepest.slice(0, 2).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
    };
  }

  #operation(method: string, path: string, raw: RawOperation): Operation {
    const answer = raw.responses["200"]?.content?.["application/json"]?.schema;
    const content = raw.requestBody?.content;
    return {
      id: raw.operationId,
      method,
      path,
      query: (raw.parameters ?? []).filter((one) => one.in === "query"),
      body: content?.["application/json"]?.schema,
      takesForms: content?.["application/x-www-form-urlencoded"] !== undefined,
      mistakesOfAnswer: answer === undefined ? undefined : this.mistakesOf(answer),
    };
  }
}

/** The library does not take a name of a member that is no Unicode: neither does any schema of ours. */
function validate(validator: Validator, json: unknown): Pick<ReturnType<Validator["validate"]>, "errors"> {
  try {
    return validator.validate(json);
  } catch (error) {
    const unit = { keyword: "", keywordLocation: "", instanceLocation: "#" };
    return { errors: [{ ...unit, error: `cannot be validated: ${(error as Error).message}` }] };
  }
}

/** What both schemas ask for, where the second adds to the first. */
function merged(schema: Schema, more: Schema): Schema {
  const properties = Object.entries(more.properties ?? {}).map(
    ([name, one]) => [name, { ...schema.properties?.[name], ...one }] as const,
  );
  return { ...schema, ...more, properties: { ...schema.properties, ...Object.fromEntries(properties) } };
}

/** A uid may be empty in the path of a method that makes roots, and then takes its slash along. */
function expressionOf(path: string): RegExp {
  const literal = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replace(/\/\{[^}]*\}/g, "(?:/.*)?")}$`, "s");
}
