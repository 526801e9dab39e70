import { expect, it } from "vitest";
import { adviceForConnection, adviceForRefusal } from "./exchange-advice.ts";

const claims = { issuer: '"https://ci.example"', subject: '"job:1"', audience: '"platform"' };
const request = { audience: "https://api.example", authUrl: new URL("https://auth.example/foo"), claims };
const advice = (name: string, message: string) => adviceForRefusal(name, message, request);

it("compares the claims of the token with the Identity if the platform does not say what is wrong", () => {
  const message = "Permission denied: the token may not assume this identity, or the identity does not exist";
  expect(advice("PERMISSION_DENIED", message)).toMatch(
    /the issuer "https:\/\/ci\.example", the subject "job:1" and the audience "platform": compare them, and the claims in/,
  );
  expect(adviceForRefusal("PERMISSION_DENIED", message, { ...request, claims: undefined })).toContain(
    "is not a JSON Web Token",
  );
});

it.each([
  [
    "the token has expired",
    /^The workload's own token is the problem, not the Identity: use one that "https:\/\/ci\.example" has just issued$/,
  ],
  ["the token has no expiry (exp)", /has just issued$/],
  ["the token is not valid yet (nbf or iat is in the future)", /check the clock of its issuer and of the platform$/],
  [
    "the signature of the token does not match a key of its issuer",
    /just issued; if spec\.staticKeys of the Identity has the keys, write the current ones of this issuer there$/,
  ],
])("does not send the reader to the Identity for: %s", (message, expected) => {
  expect(advice("PERMISSION_DENIED", `Permission denied: ${message}`)).toMatch(expected);
});

it("names the setting that the platform does not accept", () => {
  expect(advice("INVALID_ARGUMENT", 'Invalid argument: aud: must be "https://other.example"')).toBe(
    "The requested audience is https://api.example: correct --api-audience (MUSTER_API_AUDIENCE), or --audience of credential-helper kubectl",
  );
  expect(advice("NOT_FOUND", 'Not found: path "/foo/sts/exchange"')).toBe(
    "Correct --auth-url (MUSTER_AUTH_URL), which is https://auth.example/foo",
  );
  expect(advice("UNAUTHENTICATED", "Unauthenticated: the bearer token is not a JWT")).toBeUndefined();
});

it.each([
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    "self-signed certificate in certificate chain",
    /; name the certificate authority with --platform-ca \(MUSTER_PLATFORM_CA\)$/,
  ],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify the first certificate", /--platform-ca/],
  [
    "EPROTO",
    "write EPROTO 40FD:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../x.c:77:",
    /^this address does not speak TLS; use http:\/\/ or another port in --auth-url/,
  ],
  ["ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:1", /^connect ECONNREFUSED 127.0.0.1:1$/],
])("says what to do after the connection failed with %s", (code, message, expected) => {
  expect(adviceForConnection(Object.assign(new Error(message), { code }), message)).toMatch(expected);
});
