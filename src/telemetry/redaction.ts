/** Patterns of secrets in a line of JSON, whatever the field. */
const secrets: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // A JSON Web Token, even if truncated: base64url of `{"`, then perhaps a payload and a signature.
  [/eyJ[\w-]{10,}(?:\.[\w-]*){0,2}/g, "[redacted]"],
  [/\b(Bearer|Basic)(\s+|%20)[\w.~+/=-]{6,}/gi, "$1 [redacted]"],
  // The user name and the password in a URL.
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"\\]+@/gi, "$1[redacted]@"],
  // A field whose name says that it contains a secret.
  [
    /"((?:[\w-]*[_-])?(?:token|authorization|password|secret|client_?secret|private_?key|assertion)|[a-z]+(?:Token|Password|Secret|PrivateKey))":"(?:[^"\\]|\\.)+"/g,
    '"$1":"[redacted]"',
  ],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="))/gs, "[redacted]"],
];

/** Replaces tokens, credentials and private keys in a line of JSON with `[redacted]`. */
export function redact(line: string): string {
  let clean = line;
  for (const [pattern, replacement] of secrets) clean = clean.replace(pattern, replacement);
  return clean;
}
