import { describe, expect, it } from "vitest";
import { parseInitFile } from "./init-file.ts";

const uid = "0".repeat(40);
const identity = { uid: `${uid}/0000000000000001`, issuer: "https://i.example.com", subject: "s", role: "owner" };
const file = (changes: object = {}) => JSON.stringify({ rootGroup: { uid }, ...changes });
const withIdentity = (changes: object) => file({ identities: [{ ...identity, ...changes }] });

describe("parseInitFile", () => {
  it("reads YAML and JSON, in which a uid of decimal digits is text", () => {
    const yaml = `
rootGroup: {uid: ${uid}, name: acme}
identities:
  - uid: ${identity.uid}
    name: muster
    issuer: https://i.example.com
    subject: system:serviceaccount:muster-system:muster-operator
    audience: muster
    role: owner
    description: "owner id 1"
`;
    const { rootGroup, identities } = parseInitFile(yaml);
    expect(rootGroup).toEqual({ uid, name: "acme" });
    expect(identities).toMatchObject([
      {
        uid: identity.uid,
        name: "muster",
        description: "owner id 1",
        role: { name: "owner" },
        claimMatch: { aud: { case: "audience", value: "muster" } },
      },
    ]);
    expect(parseInitFile(withIdentity({}))).toMatchObject({
      rootGroup: { uid, name: "root" },
      identities: [{ name: "0000000000000001", description: "", claimMatch: { aud: { case: undefined } } }],
    });
  });

  it.each([
    ["an empty file", "", "the file must be a map"],
    ["a list", "[]", "the file must be a map"],
    ["broken YAML", "rootGroup: {", "the file is not one YAML document"],
    ["two documents", `rootGroup: {uid: a}\n---\nrootGroup: {uid: b}`, "the file is not one YAML document"],
    ["a file that is too large", " ".repeat(300_000), "at most 262144 characters"],
    ["an unknown field", file({ rootgroup: {} }), "rootgroup: unknown field"],
    ["an unknown nested field", withIdentity({ claimMatch: {} }), "identities[0].claimMatch: unknown field"],
    ["no root group", "identities: []", "rootGroup: is required"],
    ["no uid of the root group", "rootGroup: {name: a}", "rootGroup.uid: is required"],
    ["a short uid", file({ rootGroup: { uid: "ab" } }), "rootGroup.uid: must be 40"],
    ["the uid of a child as root", file({ rootGroup: { uid: identity.uid } }), "rootGroup.uid: must be 40"],
    ["a name with capitals", file({ rootGroup: { uid, name: "Acme" } }), "rootGroup.name: name must match"],
    ["a name that is a map", file({ rootGroup: { uid, name: {} } }), "rootGroup.name: must be text"],
    ["identities that are no list", file({ identities: {} }), "identities: "],
    [
      "an identity elsewhere",
      withIdentity({ uid: `${"1".repeat(40)}/0000000000000001` }),
      "identities[0].uid: must be",
    ],
    ["a uid twice", file({ identities: [identity, identity] }), "identities[1].uid: another identity"],
    ["an issuer over http", withIdentity({ issuer: "http://i" }), "identities[0].issuer: must be an https URL"],
    ["an empty subject", withIdentity({ subject: "" }), "identities[0].subject: must not be empty"],
    ["no subject", withIdentity({ subject: undefined }), "identities[0].subject: is required"],
    ["an empty audience", withIdentity({ audience: "" }), "identities[0].audience: must not be empty"],
    ["an unknown role", withIdentity({ role: "root" }), "identities[0].role: must be a built-in role: viewer, "],
    [
      "a description of two lines",
      withIdentity({ description: "a\nb" }),
      "identities[0].description: description must",
    ],
    ["too many identities", file({ identities: Array.from({ length: 101 }, () => identity) }), "identities: "],
  ])("names the field of %s", (_, content, message) => {
    expect(() => parseInitFile(content)).toThrowError(message);
  });
});
