/** Anything that looks like a token: a JWT, or what follows the word Bearer. */
const secrets = /eyJ[\w-]{8,}\.[\w-]+(\.[\w-]*)?|\bBearer\s+\S+/gi;
const controlCharacters = /\p{Cc}+/gu;

/** A text from outside, fit to be shown: on one line, without anything like a token, at most `limit` characters. */
export function plainText(text: string, limit: number): string {
  const clean = text.replace(secrets, "[redacted]").replace(controlCharacters, " ");
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1)}…`;
}
