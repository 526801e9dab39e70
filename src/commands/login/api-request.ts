import { SettingsError } from "#src/commands/settings/settings.ts";
import type { ApiCall } from "./platform-api.ts";

/** The arguments of `muster api`. */
export interface ApiArguments {
  readonly method: string;
  /** With a query, or without. */
  readonly path: string;
  readonly fields: readonly Field[];
  /** The JSON text of `--data`. */
  readonly data: string | undefined;
}

/** `NAME=TEXT` or `NAME:=JSON`. A dot in the name leads into an object. */
export interface Field {
  readonly name: string;
  readonly value: unknown;
}

const maxDepth = 16;

/** @throws {Error} */
export function parseField(text: string): Field {
  const match = /^([^=]*?)(:?)=(.*)$/s.exec(text);
  const [, name = "", colon, value = ""] = match ?? [];
  if (match === null || !name.split(".").every((part) => part !== "") || name.split(".").length > maxDepth)
    throw new Error(`"${text}" is not NAME=TEXT or NAME:=JSON, such as name=shop or claimMatch.subject=alice`);
  if (colon === "") return { name, value };
  try {
    return { name, value: JSON.parse(value) };
  } catch {
    throw new Error(`the value of ${name} is not JSON: ${value}`);
  }
}

/**
 * The call that the arguments describe. Fields are parameters of the query for GET and DELETE, and otherwise members of the
 * body.
 * @param basePath the path of the platform's address
 * @throws {SettingsError}
 */
export function apiCall({ data, fields, method, path }: ApiArguments, platform: string): ApiCall {
  const base = new URL(platform);
  if (!path.startsWith("/") || /[\s#\\]/.test(path))
    throw new SettingsError([
      `PATH: "${path}" is not a path of the API without spaces and fragment, such as /iam/v2beta1/groups?page_size=10`,
    ]);
  const url = URL.parse(platform + path);
  const prefix = base.pathname.replace(/\/$/, "");
  // The token must not go to another host, nor to another service of the host.
  if (url === null || url.origin !== base.origin || !`${url.pathname}/`.startsWith(`${prefix}/`))
    throw new SettingsError([`PATH: "${path}" leads out of ${platform}`]);
  const hasBody = method !== "GET" && method !== "DELETE";
  if (data !== undefined && !hasBody) throw new SettingsError([`--data: ${method} has no body`]);
  if (data !== undefined && fields.length > 0)
    throw new SettingsError(["--data and --field exclude each other; write parameters of the query in PATH"]);
  if (!hasBody)
    for (const { name, value } of fields)
      url.searchParams.append(name, typeof value === "string" ? value : JSON.stringify(value));
  const body = hasBody ? (data ?? (fields.length === 0 ? undefined : JSON.stringify(bodyOf(fields)))) : undefined;
  return { method, path: (url.pathname + url.search).slice(prefix.length), ...(body === undefined ? {} : { body }) };
}

/** Objects without a prototype: a name such as `__proto__` is one like any other. */
type Body = { [name: string]: unknown };

function bodyOf(fields: readonly Field[]): Body {
  const body = newBody();
  for (const { name, value } of fields) {
    const parts = name.split(".");
    const last = parts.pop() ?? "";
    let target = body;
    for (const part of parts) {
      const next = (target[part] ??= newBody());
      if (!isBody(next)) throw new SettingsError([`--field: ${name} is below a value that is also given`]);
      target = next;
    }
    if (last in target)
      throw new SettingsError([`--field: ${name} is given twice; a list is written ${name}:='["a","b"]'`]);
    target[last] = value;
  }
  return body;
}

function newBody(): Body {
  return Object.create(null) as Body;
}

function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
}
