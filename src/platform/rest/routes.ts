import { type DescField, type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../gen/google/api/http_pb.ts";
import type { Operation } from "../service/operations.ts";
import { type PathTemplate, parsePathTemplate } from "./path-template.ts";

/** Maps a REST method and path to a method of the contract. */
export interface Route {
  readonly httpMethod: string;
  readonly operation: Operation;
  readonly template: PathTemplate;
  readonly body: BodyBinding;
  /** The fields of the request that the path or the body sets, and no query parameter. */
  readonly bound: ReadonlySet<string>;
}

/** The part of the request that the body contains. */
type BodyBinding =
  | { readonly kind: "none" }
  /** The whole request, so that there are no query parameters (`google.api.HttpRule`). */
  | { readonly kind: "whole" }
  /** The whole request, as JSON or as a form, and each field that it lacks can be a query parameter: the token service. */
  | { readonly kind: "parameters" }
  | { readonly kind: "field"; readonly field: DescField; readonly message: DescMessage };

export type RouteMatch =
  | { readonly kind: "found"; readonly route: Route; readonly variables: Readonly<Record<string, string>> }
  /** The path exists, but with other methods: those that it has. */
  | { readonly kind: "otherMethod"; readonly allowed: readonly string[] }
  | { readonly kind: "unknown" };

/** The REST routes of the contract, read from its annotations. */
export class Routes {
  /** Routes by method, with more literal templates first, so that `…:lookupIdentity` does not match as a uid. */
  readonly #byMethod = new Map<string, Route[]>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations)
      for (const route of routesOf(operation))
        for (const httpMethod of servedAs(route))
          this.#byMethod.set(httpMethod, [...(this.#byMethod.get(httpMethod) ?? []), route]);
    for (const routes of this.#byMethod.values())
      routes.sort(
        ({ template: a }, { template: b }) =>
          b.literalLength - a.literalLength || a.variables.length - b.variables.length,
      );
  }

  /** The first segments of all paths, such as `iam`. */
  get firstSegments(): ReadonlySet<string> {
    const routes = [...this.#byMethod.values()].flat();
    return new Set(routes.map(({ template }) => template.text.split("/")[1] ?? ""));
  }

  match(httpMethod: string, path: string): RouteMatch {
    const found = this.#find(httpMethod, path);
    if (found !== undefined) return found;
    const allowed = [...this.#byMethod.keys()].filter((other) => this.#find(other, path) !== undefined);
    return allowed.length > 0 ? { kind: "otherMethod", allowed } : { kind: "unknown" };
  }

  #find(httpMethod: string, path: string): (RouteMatch & { kind: "found" }) | undefined {
    for (const route of this.#byMethod.get(httpMethod) ?? []) {
      const values = route.template.match(path);
      if (values !== undefined) return { kind: "found", route, variables: values };
    }
    return undefined;
  }
}

/** The HTTP methods of a route. What GET reads, HEAD reads, too (RFC 9110, 9.1). GET of the token service is not safe: it issues tokens. */
function servedAs({ httpMethod, operation }: Route): readonly string[] {
  return httpMethod === "GET" && operation.authentication !== "none" ? ["GET", "HEAD"] : [httpMethod];
}

/** The routes of a method: its own binding, then the additional ones. */
export function routesOf(operation: Operation): Route[] {
  return rulesOf(operation).map((rule) => routeOf(operation, rule));
}

function rulesOf({ method }: Operation): HttpRule[] {
  if (!hasOption(method, http)) return [];
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings];
}

function routeOf(operation: Operation, rule: HttpRule): Route {
  const { pattern } = rule;
  if (pattern.case === undefined || pattern.case === "custom")
    throw new Error(`${operation.name} has an unsupported HTTP rule`);
  const template = parsePathTemplate(pattern.value);
  const body = bodyBindingOf(operation, rule.body);
  return {
    httpMethod: pattern.case.toUpperCase(),
    operation,
    template,
    body,
    bound: new Set([...template.variables.map((path) => path.replace(/\..*/, "")), ...inBody(operation, body)]),
  };
}

/** The fields that only the body sets. */
function inBody({ method: { input } }: Operation, body: BodyBinding): readonly string[] {
  if (body.kind === "whole") return input.fields.map(({ name }) => name);
  return body.kind === "field" ? [body.field.name] : [];
}

function bodyBindingOf({ method, name, authentication }: Operation, body: string): BodyBinding {
  if (body === "") return { kind: "none" };
  // OAuth has its parameters in forms, and clients of the token service send them in the query too.
  if (body === "*") return { kind: authentication === "none" ? "parameters" : "whole" };
  const field = method.input.fields.find((candidate) => candidate.name === body);
  if (field?.fieldKind !== "message")
    throw new Error(`${name} binds its body to ${body}, which is not a message field`);
  return { kind: "field", field, message: field.message };
}
