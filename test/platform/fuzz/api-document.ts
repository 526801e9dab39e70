import { type Schema as JsonSchema, Validator } from "@cfworker/json-schema";

/** The part of JSON Schema that the fuzzer uses to draw requests. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly [string, "null"];
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly enum?: readonly unknown[];
  /** A reference, or null. */
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly not?: { readonly anyOf?: readonly { readonly required?: readonly string[] }[] };
  readonly readOnly?: boolean;
}

export interface Parameter {
  readonly name: string;
  readonly required?: boolean;
  readonly in: string;
  readonly schema: Schema;
}

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly id: string;
  /** In upper case: `GET`. */
  readonly method: string;
  /** The template: `/iam/v2beta1/groups/{uid}`. */
  readonly path: string;
  readonly query: readonly Parameter[];
  /** The schema of the JSON body; undefined if the operation has none. */
  readonly body: Schema | undefined;
  readonly takesForms: boolean;
  /** Checks the JSON of a successful response; undefined if the response has no body. */
  readonly responseViolations: ((json: unknown) => string[]) | undefined;
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

/** The platform's OpenAPI document: requests are drawn from it, and responses are checked against it. */
export class ApiDocument {
  readonly operations: readonly Operation[];
  /** Checks the JSON of an error. */
  readonly errorViolations: (json: unknown) => string[];
  readonly #document: RawDocument;
  readonly #byMethod = new Map<string, { readonly matches: RegExp; readonly operation: Operation }[]>();

  constructor(json: unknown) {
    this.#document = json as RawDocument;
    const { paths, components } = this.#document;
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, raw]) => this.#operation(method.toUpperCase(), path, raw)),
    );
    // Paths without a variable come first: otherwise a custom method would match as a uid.
    for (const operation of this.operations.toSorted(
      (a, b) => Number(a.path.includes("{")) - Number(b.path.includes("{")),
    ))
      this.#byMethod.set(operation.method, [
        ...(this.#byMethod.get(operation.method) ?? []),
        { matches: expressionOf(operation.path), operation },
      ]);
    this.errorViolations = this.violationsOf(components.schemas["Error"] ?? {});
  }

  /** The schema that a reference names, or the schema itself. Keywords next to `$ref` apply in addition. */
  resolve(schema: Schema): Schema {
    const { anyOf: [alternative] = [], ...rest } = schema;
    if (alternative?.$ref !== undefined) return this.resolve({ ...alternative, ...rest });
    if (schema.$ref === undefined) return schema;
    const { $ref, ...siblings } = schema;
    const found = this.#document.components.schemas[$ref.replace("#/components/schemas/", "")];
    if (found === undefined) throw new Error(`the OpenAPI document has no ${$ref}`);
    return merged(this.resolve(found), siblings);
  }

  /** The operation that serves a path, given as on the wire and without its query. */
  operationAt(method: string, path: string): Operation | undefined {
    return this.#byMethod.get(method)?.find(({ matches }) => matches.test(path))?.operation;
  }

  /** @returns a function that validates a value and returns at most two violations */
  violationsOf(schema: Schema): (json: unknown) => string[] {
    const { components } = this.#document;
    const validator = new Validator({ ...schema, components } as unknown as JsonSchema, "2020-12", false);
    return (json) => {
      const { errors } = validate(validator, json);
      // The validator repeats an error on each level above it.
      const depth = Math.max(0, ...errors.map(({ instanceLocation }) => instanceLocation.length));
      const deepest = errors.filter(({ instanceLocation }) => instanceLocation.length === depth);
      return deepest.slice(0, 2).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
    };
  }

  #operation(method: string, path: string, raw: RawOperation): Operation {
    const response = raw.responses["200"]?.content?.["application/json"]?.schema;
    const content = raw.requestBody?.content;
    return {
      id: raw.operationId,
      method,
      path,
      query: (raw.parameters ?? []).filter((parameter) => parameter.in === "query"),
      body: content?.["application/json"]?.schema,
      takesForms: content?.["application/x-www-form-urlencoded"] !== undefined,
      responseViolations: response === undefined ? undefined : this.violationsOf(response),
    };
  }
}

/** The library throws for a member whose name is not well-formed Unicode, which no schema of ours accepts either. */
function validate(validator: Validator, json: unknown): Pick<ReturnType<Validator["validate"]>, "errors"> {
  try {
    return validator.validate(json);
  } catch (error) {
    const unit = { keyword: "", keywordLocation: "", instanceLocation: "#" };
    return { errors: [{ ...unit, error: `cannot be validated: ${(error as Error).message}` }] };
  }
}

/** A schema with the keywords of both. */
function merged(schema: Schema, more: Schema): Schema {
  const properties = Object.entries(more.properties ?? {}).map(
    ([name, one]) => [name, { ...schema.properties?.[name], ...one }] as const,
  );
  return { ...schema, ...more, properties: { ...schema.properties, ...Object.fromEntries(properties) } };
}

/** A method that creates a root resource has an empty uid in its path, and no slash before it. */
function expressionOf(path: string): RegExp {
  const literal = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replace(/\/\{[^}]*\}/g, "(?:/.*)?")}$`, "s");
}
