import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSettings } from "#src/commands/settings/settings.ts";
import { parseInitFile } from "#src/platform/init-file.ts";
import { issuerIn } from "./cluster-issuer.ts";
import { platformSettings } from "./settings.ts";

const issuer = "https://oidc.example.com/id/1";
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("token:FILE", () => {
  let folder = "";
  const file = (name: string) => join(folder, name);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "muster-issuer-"));
    writeFileSync(file("token"), `${part({ alg: "RS256" })}.${part({ iss: issuer })}.signature\n`);
    writeFileSync(file("http"), `${part({})}.${part({ iss: "http://issuer" })}.signature`);
    writeFileSync(file("without"), `${part({})}.${part({ sub: "secret" })}.signature`);
    writeFileSync(file("text"), "secret");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("is the issuer of the token in the file, in --trusted-issuer and in the init file", () => {
    const given = `token:${file("token")},jwks=https://kubernetes.default.svc/openid/v1/jwks`;
    expect(readSettings(platformSettings, ["--trusted-issuer", given], {}).trustedIssuer).toMatchObject([
      { issuer, jwksUrl: "https://kubernetes.default.svc/openid/v1/jwks" },
    ]);
    const uid = "0".repeat(40);
    const identity = { uid: `${uid}/${"1".repeat(16)}`, issuer: `token:${file("token")}`, subject: "s", role: "owner" };
    const content = JSON.stringify({ rootGroup: { uid }, identities: [identity] });
    expect(parseInitFile(content, issuerIn).identities).toMatchObject([{ claimMatch: { iss: { value: issuer } } }]);
  });

  it.each([
    ["missing", "the file with a token of the issuer cannot be read: ENOENT"],
    ["without", "does not contain a token with an issuer"],
    ["text", "does not contain a token with an issuer"],
    ["http", '"http://issuer" is not an https URL'],
  ])("is refused with a message that contains nothing of the file: %s", (name, message) => {
    const read = () => readSettings(platformSettings, ["--trusted-issuer", `token:${file(name)}`], {});
    expect(read).toThrowError(message);
    expect(read).not.toThrowError("secret");
  });

  it("leaves any other text as it is", () => expect(issuerIn(issuer)).toBe(issuer));
});
