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
  /** The fields of the request that are set from the path or the body. */
  readonly bound: ReadonlySet<string>;
}

/** The part of the request that the body contains. */
type BodyBinding =
  | { readonly kind: "none" }
  | { readonly kind: "whole" }
  | { readonly kind: "field"; readonly field: DescField; readonly message: DescMessage };

export type RouteMatch =
  | { readonly kind: "found"; readonly route: Route; readonly variables: Readonly<Record<string, string>> }
  /** The path exists, but with other methods. */
  | { readonly kind: "otherMethod" }
  | { readonly kind: "unknown" };

/** The REST routes of the contract, read from its annotations. */
export class Routes {
  /** Routes by method, with more literal templates first, so that `…:lookupIdentity` does not match as a uid. */
  readonly #byMethod = new Map<string, Route[]>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations)
      for (const route of routesOf(operation)) {
        this.#byMethod.set(route.httpMethod, [...(this.#byMethod.get(route.httpMethod) ?? []), route]);
      }
    for (const routes of this.#byMethod.values())
      routes.sort((a, b) => b.template.literalLength - a.template.literalLength || variableCount(a) - variableCount(b));
  }

  match(httpMethod: string, path: string): RouteMatch {
    const found = this.#find(httpMethod, path);
    if (found !== undefined) return found;
    const hasOtherMethod = [...this.#byMethod.keys()].some((other) => this.#find(other, path) !== undefined);
    return { kind: hasOtherMethod ? "otherMethod" : "unknown" };
  }

  #find(httpMethod: string, path: string): (RouteMatch & { kind: "found" }) | undefined {
    for (const route of this.#byMethod.get(httpMethod) ?? []) {
      const values = route.template.match(path);
      if (values !== undefined) return { kind: "found", route, variables: values };
    }
    return undefined;
  }
}

function variableCount({ bound, body }: Route): number {
  return bound.size - (body.kind === "field" ? 1 : 0);
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
  const inPath = [...pattern.value.matchAll(/\{([a-z0-9_]+)[^}]*\}/g)].map(([, name]) => name ?? "");
  return {
    httpMethod: pattern.case.toUpperCase(),
    operation,
    template,
    body,
    bound: new Set(body.kind === "field" ? [...inPath, body.field.name] : inPath),
  };
}

function bodyBindingOf({ method, name }: Operation, body: string): BodyBinding {
  if (body === "") return { kind: "none" };
  if (body === "*") return { kind: "whole" };
  const field = method.input.fields.find((candidate) => candidate.name === body);
  if (field?.fieldKind !== "message")
    throw new Error(`${name} binds its body to ${body}, which is not a message field`);
  return { kind: "field", field, message: field.message };
}
