import { describe, expect, it } from "vitest";
import { checkTime, readSubjectToken } from "./subject-token.ts";

const encode = (json: string) => Buffer.from(json).toString("base64url");
const token = (payload: string, header = '{"alg":"ES256"}') => `${encode(header)}.${encode(payload)}.c2lnbmF0dXJl`;
const valid = '{"iss":"https://issuer.example.com","sub":"s","aud":"a"}';

describe("readSubjectToken", () => {
  it.each(["JWT", "jwt", "JOSE", "at+jwt", "application/at+JWT", "anything"])("reads a token of the type %s", (typ) =>
    expect(readSubjectToken(token(valid, JSON.stringify({ alg: "ES256", typ }))).subject).toBe("s"),
  );

  it.each(["logout+jwt", "application/secevent+jwt", "DPoP+JWT", "oauth-authz-req+jwt"])(
    "rejects a token of the type %s, which is for another purpose",
    (typ) =>
      expect(() => readSubjectToken(token(valid, JSON.stringify({ alg: "ES256", typ })))).toThrow(
        "another purpose (typ)",
      ),
  );

  it.each([
    ["its header", valid, '{"alg":"ES256","kid":"1","kid":"2"}'],
    ["its claims", '{"iss":"i","sub":"admin","sub":"s"}', undefined],
    ["a claim", '{"iss":"i","sub":"s","groups":{"a":1,"a":2}}', undefined],
  ])("rejects a token that names a member twice in %s", (_, payload, header) =>
    expect(() => readSubjectToken(token(payload, header))).toThrow("two members of the same name"),
  );

  it.each(["+", "/", "=", " ", "\n", "*"])("rejects a token with %j in its header or its claims", (character) => {
    const [header = "", claims = "", signature = ""] = token(valid).split(".");
    for (const parts of [
      [header + character, claims, signature],
      [header, claims + character, signature],
    ])
      expect(() => readSubjectToken(parts.join("."))).toThrow("is not a JWT");
  });

  it.each(["", "a", "a.b", "..", "e30.e30", "e30.e30.e30.e30", `${token(valid)}.e30.e30`])("rejects %j", (text) =>
    expect(() => readSubjectToken(text)).toThrow("is not a JWT"),
  );

  it.each([
    ["a key id that is not a text", valid, '{"alg":"ES256","kid":1}'],
    ["a type that is not a text", valid, '{"alg":"ES256","typ":1}'],
    ["claims that are a list", "[]", undefined],
    ["a subject that is not a text", '{"iss":"i","sub":1}', undefined],
  ])("rejects a token with %s", (_, payload, header) =>
    expect(() => readSubjectToken(token(payload, header))).toThrow("is not a JWT"),
  );
});

describe("checkTime", () => {
  const now = 1_800_000_000_000;
  const seconds = now / 1_000;
  const check = (claims: string) => () => checkTime({ claims: JSON.parse(claims) as Record<string, unknown> }, now);

  it.each([
    `{"exp":${seconds + 1}}`,
    `{"exp":${seconds}.5}`,
    `{"exp":${seconds + 1},"nbf":${seconds + 59},"iat":${seconds + 59.5}}`,
    `{"exp":${seconds + 1},"nbf":0,"iat":1.8e9}`,
    '{"exp":8640000000000}',
  ])("accepts %s", (claims) => expect(check(claims)).not.toThrow());

  it.each([
    ["{}", "no expiry (exp)"],
    ['{"exp":null}', "a time that is invalid (exp)"],
    ['{"exp":"1800000600"}', "a time that is invalid (exp)"],
    ['{"exp":1e999}', "a time that is invalid (exp)"],
    ['{"exp":8640000000001}', "a time that is invalid (exp)"],
    ['{"exp":-1}', "a time that is invalid (exp)"],
    ['{"exp":[1800000600]}', "a time that is invalid (exp)"],
    ['{"exp":1800000600,"nbf":-1e999}', "a time that is invalid (nbf)"],
    ['{"exp":1800000600,"nbf":"1"}', "a time that is invalid (nbf)"],
    ['{"exp":1800000600,"iat":-1}', "a time that is invalid (iat)"],
    ['{"exp":1800000600,"iat":null}', "a time that is invalid (iat)"],
    ['{"exp":1800000000}', "has expired"],
    ['{"exp":1799999999.9}', "has expired"],
    ['{"exp":1800000600,"nbf":1800000061}', "is not valid yet"],
    ['{"exp":1800000600,"iat":1800000060.5}', "is not valid yet"],
  ])("rejects %s: %s", (claims, message) => expect(check(claims)).toThrow(message));
});
