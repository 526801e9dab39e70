type SchemaType = "string" | "integer" | "boolean" | "object" | "array";

/** The part of JSON Schema 2020-12, with the extensions of OpenAPI, that describes the contract. */
export interface Schema {
  readonly $ref?: string;
  /** One type; or several, of which the first is that of responses. */
  readonly type?: SchemaType | readonly [SchemaType, ...(SchemaType | "null")[]];
  readonly format?: string;
  readonly pattern?: string;
  /** The maximum length in characters. */
  readonly maxLength?: number;
  readonly minLength?: number;
  /** Distinct items of a list: the platform removes duplicates. */
  readonly maxItems?: number;
  readonly minItems?: 1;
  readonly maxProperties?: number;
  readonly propertyNames?: { readonly maxLength: number };
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly (string | number | null)[];
  /** A reference, or null. */
  readonly anyOf?: readonly [{ readonly $ref: string }, { readonly type: "null" }];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  /** Of each of these lists of properties, at least one is required. */
  readonly allOf?: readonly { readonly anyOf: readonly { readonly required: readonly string[] }[] }[];
  /** Pairs of properties that exclude each other. */
  readonly not?: { readonly anyOf: readonly { readonly required: readonly string[] }[] };
  readonly description?: string;
  readonly readOnly?: true;
  readonly writeOnly?: true;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: true;
  readonly description?: string;
  readonly schema: Schema;
}

export interface MediaTypes {
  readonly [type: string]: { readonly schema: Schema };
}

export interface RequestBody {
  readonly required: boolean;
  readonly content: MediaTypes;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, { readonly $ref: string } | Response>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly servers?: readonly { readonly url: string }[];
}

export interface Response {
  readonly description: string;
  readonly content?: MediaTypes;
}

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}
