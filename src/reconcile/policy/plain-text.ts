import { boundedText } from "#src/api/bounded-text.ts";

/** Anything that looks like a token: a JWT, or what follows the word Bearer. */
const secrets = /eyJ[\w-]{8,}\.[\w-]+(\.[\w-]*)?|\bBearer\s+\S+/gi;
const controlCharacters = /\p{Cc}+/gu;

/**
 * A text from outside, made safe to show: on one line, without anything that looks like a token, at most `limit` characters
 * long, and such that the API server stores it unchanged.
 */
export function plainText(text: string, limit: number): string {
  const clean = text.replace(secrets, "[redacted]").replace(controlCharacters, " ");
  return clean.length <= limit ? boundedText(clean, limit) : `${boundedText(clean, limit - 1)}…`;
}
