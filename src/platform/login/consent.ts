import type { Writer } from "../store/database.ts";
import { useOnce } from "../tokens/used-tokens.ts";
import { OAuthError } from "./oauth-error.ts";
import type { AskedStep } from "./pending-login.ts";

/**
 * Records that the person has decided about a login. The page and its cookie can be sent again, by whoever has a copy of them, and
 * to another replica.
 * @throws OAuthError (access_denied) if the person had decided before
 */
export async function decideOnce(tx: Writer, { formToken, provider, expires }: AskedStep, now: number): Promise<void> {
  if (await useOnce(tx, { token: `consent ${formToken}`, owner: provider, expires }, now)) return;
  throw new OAuthError("access_denied", "the login was decided already: start again");
}
