/** The subset of JSON Schema (draft 7) that describes the values of a chart. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  /** Of a value without `properties`. */
  readonly default?: unknown;
  /** What a value is, if `type` says too little: a type of the Kubernetes API. */
  readonly title?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: false | JsonSchema;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
}

/** An object with exactly these properties, so that Helm reports a misspelled one. */
export function object(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: "object", description, additionalProperties: false, properties };
}

export function text(
  description: string,
  initial = "",
  constraints: Pick<JsonSchema, "enum" | "pattern"> = {},
): JsonSchema {
  return { type: "string", description, default: initial, ...constraints };
}

export function toggle(description: string, initial: boolean): JsonSchema {
  return { type: "boolean", description, default: initial };
}

/** A boolean whose default depends on the cluster. */
export function automaticToggle(description: string): JsonSchema {
  return { type: ["boolean", "null"], description, default: null };
}

export function wholeNumber(description: string, initial: number, minimum = 0): JsonSchema {
  return { type: "integer", description, default: initial, minimum };
}

export function textMap(description: string): JsonSchema {
  return { type: "object", description, default: {}, additionalProperties: { type: "string" } };
}

export function textList(description: string): JsonSchema {
  return { type: "array", description, default: [], items: { type: "string" } };
}

/** A part of a Kubernetes object. The API server validates it. */
export function kubernetes(title: string, description: string, initial: object = {}): JsonSchema {
  return { type: Array.isArray(initial) ? "array" : "object", title, description, default: initial };
}
