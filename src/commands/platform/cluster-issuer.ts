import { readTextSync } from "#src/files/read-text.ts";
import { decodeJwt } from "jose";

const prefix = "token:";

/**
 * The issuer that a setting names: the text itself, or for `token:FILE` the issuer of the token in that file. Kubernetes puts
 * such a token into a pod, and people then need not know the issuer of their cluster. Nothing is trusted because of the token
 * but the name of its issuer: the file is the administrator's, as the setting is.
 * @throws {Error} that names the file and never contains its content
 */
export function issuerIn(text: string): string {
  if (!text.startsWith(prefix)) return text;
  const file = text.slice(prefix.length);
  let token: string;
  try {
    token = readTextSync(file);
  } catch (error) {
    throw new Error(`the file with a token of the issuer cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const issuer = issuerOf(token.trim());
  if (issuer === undefined) throw new Error(`${file} does not contain a token with an issuer`);
  return issuer;
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
