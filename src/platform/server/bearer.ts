import { asciiLowerCase } from "#src/text/ascii-case.ts";

/**
 * The bearer token of an `Authorization` header. The scheme is case-insensitive, and one or more spaces follow it (RFC 9110, 11.4, and
 * RFC 6750, 2.1). Other white space is no part of the grammar, and stays in the token, which then is not valid.
 */
export function bearerOf(authorization: string | null | undefined): string | undefined {
  if (authorization === null || authorization === undefined || asciiLowerCase(authorization.slice(0, 7)) !== "bearer ")
    return undefined;
  return authorization.slice(7).replace(/^ +/, "");
}
