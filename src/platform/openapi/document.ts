import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { uidRule } from "../contract/text-rule.ts";
import { comments } from "../gen/comments.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import { orderPattern } from "../resources/order.ts";
import { type Route, routesOf } from "../rest/routes.ts";
import type { Operation } from "../service/operations.ts";
import { described, MessageSchemas, requirementsOf } from "./message-schemas.ts";
import type { MediaTypes, RequestBody, OpenApiDocument, OpenApiOperation, Parameter, Schema } from "./schema.ts";

export interface DocumentOptions {
  readonly baseUrl: string;
  readonly authUrl: string;
}

/** Returns the REST API as an OpenAPI 3.1 document, from the same annotations that route requests. */
export function openApiDocument(
  operations: readonly Operation[],
  { baseUrl, authUrl }: DocumentOptions,
): OpenApiDocument {
  const schemas = new MessageSchemas();
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of operations)
    for (const [index, route] of routesOf(operation).entries()) {
      const method = operationOf(route, index, schemas);
      const elsewhere = operation.authentication === "none" && authUrl !== baseUrl;
      const path = (paths[pathOf(route)] ??= {});
      path[route.httpMethod.toLowerCase()] = elsewhere ? { ...method, servers: [{ url: authUrl }] } : method;
    }
  const services = new Set(
    operations.filter((candidate) => routesOf(candidate).length > 0).map(({ method }) => method.parent),
  );
  return {
    openapi: "3.1.0",
    info: { title: "Muster platform", version: "v2beta1", description: introduction },
    servers: [{ url: baseUrl }],
    tags: [...services].map(({ name, typeName }) => ({ name, ...described(comments.get(typeName)) })),
    paths,
    components: {
      schemas: { ...schemas.all(), Error: errorSchema },
      responses: { Error: { description: "An error, with any HTTP status.", content: json(ref("Error")) } },
      securitySchemes: {
        apiToken: { type: "http", scheme: "bearer", description: "An API token that the token exchange issued." },
        subjectToken: { type: "http", scheme: "bearer", description: "The token to exchange, or a refresh token." },
      },
    },
    security: [{ apiToken: [] }],
  };
}

const introduction =
  "Organisation structure and access control, a registry's repositories and tags, and advisories, in one tree of groups. " +
  "A uid is the path of a resource in the tree; in a URL its slashes are not escaped. Field names are also accepted in " +
  "snake_case, and query parameter names also in lowerCamelCase. The same methods are served over gRPC on the same port.";

const errorSchema: Schema = {
  type: "object",
  required: ["code", "message", "details"],
  properties: {
    code: { type: "integer", format: "int32", description: "The number of a gRPC code." },
    message: { type: "string" },
    details: {
      type: "array",
      description: "google.rpc.ErrorInfo and, depending on the error, one more google.rpc detail, each with its @type.",
      items: { type: "object", properties: { "@type": { type: "string" } }, required: ["@type"] },
    },
  },
};

function operationOf(route: Route, index: number, schemas: MessageSchemas): OpenApiOperation {
  const { method, authentication } = route.operation;
  const body = bodyOf(route, schemas);
  return {
    operationId: `${method.parent.name}_${method.name}${index === 0 ? "" : `_${route.httpMethod.toLowerCase()}`}`,
    tags: [method.parent.name],
    ...described(comments.get(`${method.parent.typeName}.${method.name}`)),
    parameters: [...pathParameters(route), ...queryParameters(route, schemas)],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { "200": responseOf(method, schemas), default: { $ref: "#/components/responses/Error" } },
    ...(authentication === "none" ? { security: [{ subjectToken: [] }] } : {}),
  };
}

/** OpenAPI does not allow paths that differ only in the name of a variable, so the variable is always called `uid`. */
function pathOf({ template }: Route): string {
  return template.text.replace(/\{[^}]*\}/g, "{uid}");
}

function pathParameters({ template }: Route): Parameter[] {
  return template.variables.map((variable) => ({
    name: "uid",
    in: "path",
    required: true,
    description:
      variable === "parent"
        ? "The uid of the parent of the new resource. Its slashes are not escaped."
        : "The uid of the resource. Its slashes are not escaped.",
    schema: { type: "string", pattern: uidRule.pattern.source, maxLength: uidRule.maxLength ?? 0 },
  }));
}

function queryParameters({ operation, bound, body }: Route, schemas: MessageSchemas): Parameter[] {
  // What may be in the body instead is not required.
  const isOptional = body.kind === "parameters";
  return operation.method.input.fields
    .filter(({ name }) => !bound.has(name))
    .flatMap((field) => parametersOf(field, "", schemas, isOptional));
}

function parametersOf(field: DescField, prefix: string, schemas: MessageSchemas, isOptional: boolean): Parameter[] {
  const isMask = field.message?.typeName === "google.protobuf.FieldMask";
  const name = prefix + (isMask ? field.jsonName : field.name);
  const schema = schemas.ofField(field);
  if (field.fieldKind === "message" && schema.$ref !== undefined)
    return field.message.fields.flatMap((inner) => parametersOf(inner, `${name}.`, schemas, isOptional));
  if (!isText(field)) return [];
  const comment = comments.get(`${field.parent.typeName}.${field.name}`);
  const { description, ...rules } = commonParameters[field.name] ?? {};
  const required = !isOptional && requiredParameters.has(`${field.parent.name}.${field.name}`);
  const all = { ...schema, ...rules };
  return [
    {
      name,
      in: "query",
      ...(required ? { required } : {}),
      ...described(comment ?? description),
      schema: required ? withoutEmpty(all) : orEmpty(all),
    },
  ];
}

/** Whether a parameter can express the field: it is not a map and not a list of messages. */
function isText(field: DescField): boolean {
  return field.fieldKind !== "map" && !(field.fieldKind === "list" && field.message !== undefined);
}

/** The members of requests without which a call fails, by message and field. */
const requiredParameters: ReadonlySet<string> = new Set([
  "LookupIdentityRequest.issuer",
  "LookupIdentityRequest.subject",
  "LookupRequest.issuer",
  "LookupRequest.subject",
  "ExchangeRequest.aud",
  "ExchangeRequest.identity",
]);

/** An empty text stands for a parameter that is not given. */
function orEmpty(schema: Schema): Schema {
  const { type, pattern } = schema;
  if (type !== "string" || pattern === undefined || new RegExp(pattern, "u").test("")) return schema;
  return { ...schema, pattern: `^$|${pattern}` };
}

function withoutEmpty(schema: Schema): Schema {
  return schema.type === "string" ? { ...schema, minLength: 1 } : schema;
}

/** The descriptions and schemas of parameters that all methods share. */
const commonParameters: Readonly<Record<string, Schema>> = {
  update_mask: {
    description: "The paths of the fields to change, separated by commas. The default is the fields in the body.",
  },
  page_size: {
    description: "The maximum number of results on a page. The default is 50, the maximum 200.",
    minimum: 0,
  },
  page_token: { description: "The nextPageToken of the previous page." },
  order_by: { description: "A field, optionally followed by a space and asc or desc.", pattern: orderPattern.source },
  skip: {
    description: "The number of results to skip before the page starts.",
    minimum: 0,
    maximum: sizeLimits.skip.value,
  },
};

function bodyOf({ body, httpMethod, operation, template }: Route, schemas: MessageSchemas): RequestBody | undefined {
  switch (body.kind) {
    case "none":
      return undefined;
    case "whole": {
      const { input } = operation.method;
      const { required: members = [], ...more } = requirementsOf(input);
      const required = members.filter((member) => !template.variables.includes(member));
      const schema = { ...schemas.of(input), ...(required.length === 0 ? {} : { required }), ...more };
      return { required: required.length > 0, content: json(schema) };
    }
    case "parameters": {
      const schema = schemas.of(operation.method.input);
      return { required: false, content: { ...json(schema), "application/x-www-form-urlencoded": { schema } } };
    }
    case "field": {
      const schema = schemas.of(body.message);
      if (httpMethod !== "POST") return { required: false, content: json(schema) };
      const requirements = requirementsOf(body.message);
      return {
        required: requirements.required !== undefined || requirements.allOf !== undefined,
        content: json({ ...schema, ...requirements }),
      };
    }
  }
}

function responseOf({ output }: DescMethod, schemas: MessageSchemas) {
  if (output.typeName === "google.protobuf.Empty")
    return { description: "Success. The body is missing or an empty object." };
  return { description: "The response.", content: json(schemas.of(output)) };
}

function json(schema: Schema): MediaTypes {
  return { "application/json": { schema } };
}

function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
