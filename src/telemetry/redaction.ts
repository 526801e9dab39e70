/** What looks like a secret, in a line of JSON. Whatever the field, however deep. */
const secrets: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // A JSON Web Token, also one that was cut: base64url of `{"`, then perhaps payload and signature.
  [/eyJ[\w-]{10,}(?:\.[\w-]*){0,2}/g, "[redacted]"],
  [/\b(Bearer|Basic)(\s+|%20)[\w.~+/=-]{6,}/gi, "$1 [redacted]"],
  // A field that by its name holds a secret.
  [
    /"((?:[\w-]*[_-])?(?:token|authorization|password|secret|client_?secret|private_?key|assertion)|[a-z]+(?:Token|Password|Secret|PrivateKey))":"(?:[^"\\]|\\.)+"/g,
    '"$1":"[redacted]"',
  ],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="))/gs, "[redacted]"],
];

/** The line without tokens, credentials and private keys. */
export function redact(line: string): string {
  let clean = line;
  for (const [pattern, replacement] of secrets) clean = clean.replace(pattern, replacement);
  return clean;
}
