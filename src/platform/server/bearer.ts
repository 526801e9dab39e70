import { asciiLowerCase } from "#src/text/ascii-case.ts";

/** The bearer token of an `Authorization` header. The scheme is case-insensitive. */
export function bearerOf(authorization: string | null | undefined): string | undefined {
  if (authorization === null || authorization === undefined || asciiLowerCase(authorization.slice(0, 7)) !== "bearer ")
    return undefined;
  return authorization.slice(7).trim();
}
