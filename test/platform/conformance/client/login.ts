import { Mismatch } from "../expect.ts";
import type { World } from "../world.ts";
import type { RestResponse } from "./rest.ts";

/** The client id of the command-line tool. */
export const clientId = "muster-cli";

/** The redirect URI of a program. Nothing listens there, and nothing follows a redirect to it. */
export const program = "http://127.0.0.1:51234/callback";

/** A response of an endpoint that programs call. */
export interface OAuthResponse extends RestResponse {
  readonly json: Readonly<Record<string, unknown>>;
}

/** Sends a form to an endpoint for programs (RFC 6749). */
export async function postForm(
  world: World,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<OAuthResponse> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ client_id: clientId, ...fields }).toString();
  const response = await world.tokenServiceOverRest(undefined).send("POST", path, { body, headers });
  try {
    return { ...response, json: JSON.parse(response.text) as OAuthResponse["json"] };
  } catch {
    throw new Mismatch(`the body of the response to POST ${path}`, "JSON", response.text);
  }
}

/** Opens a page as a browser does that follows no redirect. */
export function openPage(
  world: World,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<RestResponse> {
  const search = new URLSearchParams(query).toString();
  return world.tokenServiceOverRest(undefined).send("GET", search === "" ? path : `${path}?${search}`);
}

/** Submits the form of a page with the cookies that came with it. */
export function submitForm(
  world: World,
  {
    path,
    page,
    fields,
    cookies = cookiesOf(page),
  }: {
    readonly path: string;
    readonly page: RestResponse;
    readonly fields: Readonly<Record<string, string>>;
    readonly cookies?: string;
  },
): Promise<RestResponse> {
  const headers = { "content-type": "application/x-www-form-urlencoded", cookie: cookies };
  const body = new URLSearchParams({ ...hiddenFieldsOf(page), ...fields }).toString();
  return world.tokenServiceOverRest(undefined).send("POST", path, { body, headers });
}

function cookiesOf({ headers }: RestResponse): string {
  return [headers["set-cookie"] ?? []]
    .flat()
    .map((cookie) => cookie.split(";")[0] ?? "")
    .join("; ");
}

/** The names and values that a page sends along. */
function hiddenFieldsOf({ text }: RestResponse): Readonly<Record<string, string>> {
  const attribute = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  const tags = [...text.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag);
  const hidden = tags.filter((tag) => attribute(tag, "type") === "hidden");
  return Object.fromEntries(hidden.map((tag) => [attribute(tag, "name"), attribute(tag, "value")]));
}
