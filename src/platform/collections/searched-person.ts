import { asciiLowerCase } from "#src/text/ascii-case.ts";

/** The form of a name that is searched. The same letter may be one character or two. */
export function nameKeyOf(name: string): string {
  return asciiLowerCase(name.normalize("NFC"));
}

/** The form of an e-mail address that is searched. It is not normalized: the Kelvin sign would become a K, and the address another. */
export function emailKeyOf(email: string): string {
  return asciiLowerCase(email);
}
