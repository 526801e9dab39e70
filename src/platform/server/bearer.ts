/** The bearer token of an `Authorization` header. The scheme is case-insensitive. */
export function bearerOf(authorization: string | null | undefined): string | undefined {
  if (authorization?.slice(0, 7).toLowerCase() !== "bearer ") return undefined;
  return authorization.slice(7).trim();
}
