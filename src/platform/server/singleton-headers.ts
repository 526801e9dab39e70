import { asciiLowerCase } from "#src/text/ascii-case.ts";
import type { HttpRequest } from "./http-handler.ts";

/** A host, which may be empty, with an optional port (RFC 9110, 7.2). */
const hostWithPort = /^(\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]*)(:\d*)?$/i;

/**
 * Checks the headers that decide whom a request is for and whom it is from. A proxy before the platform may have judged another one of two.
 * @returns the header that is not as it must be; undefined if all are
 */
export function invalidSingleton({
  rawHeaders,
  httpVersion,
  headers,
}: HttpRequest): "host" | "authorization" | undefined {
  let [hosts, authorizations] = [0, 0];
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n] ?? "";
    // Most headers have another length.
    if (name.length === 4 && asciiLowerCase(name) === "host") hosts += 1;
    else if (name.length === 13 && asciiLowerCase(name) === "authorization") authorizations += 1;
  }
  const isHostRequired = httpVersion === "1.1";
  if (hosts > 1 || (hosts === 0 ? isHostRequired : !hostWithPort.test(headers.host ?? ""))) return "host";
  return authorizations > 1 ? "authorization" : undefined;
}
