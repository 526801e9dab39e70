import { OAuthError } from "./oauth-error.ts";
import type { Parameters } from "./parameters.ts";

/** The only client: the command-line tool. It is public, so nothing follows from its id (RFC 8252, 8.4). */
export const clientId = "muster-cli";

/** @throws OAuthError (invalid_client) */
export function checkClient(parameters: Parameters): void {
  if (parameters.one("client_id") !== clientId)
    throw new OAuthError("invalid_client", `client_id must be "${clientId}"`);
  for (const name of ["client_secret", "client_assertion"])
    if (parameters.one(name, 16 * 1024) !== undefined)
      throw new OAuthError("invalid_client", `${name} must be absent: the client is public`);
}
