import { OAuthError } from "./oauth-error.ts";
import type { Parameters } from "./parameters.ts";

/** The only client: the command-line tool. It is public, so nothing follows from its id (RFC 8252, 8.4). */
export const clientId = "muster-cli";

/** @throws OAuthError (invalid_client) */
export function checkClient(parameters: Parameters): void {
  if (parameters.one("client_id") !== clientId)
    throw new OAuthError("invalid_client", `client_id must be "${clientId}"`);
}
