/** Most texts are ASCII, whose case JavaScript's own functions change without a look at each letter, and change nothing else. */
const asciiAlone = /^[\0-\x7f]*$/;

/**
 * The text with the letters A to Z in lower case. Names of hosts, schemes and headers, and e-mail addresses, are compared without
 * regard to the case of ASCII (RFC 4343, RFC 9110). JavaScript's own functions also fold other characters into it: the Kelvin sign
 * becomes k, and somebody else's name the expected one.
 */
export function asciiLowerCase(text: string): string {
  if (asciiAlone.test(text)) return text.toLowerCase();
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The text with the letters a to z in upper case. */
export function asciiUpperCase(text: string): string {
  if (asciiAlone.test(text)) return text.toUpperCase();
  return text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** Whether two texts are the same but for the case of the letters A to Z. */
export function isEqualIgnoringAsciiCase(one: string, other: string): boolean {
  return asciiLowerCase(one) === asciiLowerCase(other);
}
