import { expect, it } from "vitest";
import { identities, roles } from "./resource-types.ts";
import { visibleText } from "#src/commands/output/visible-text.ts";

const uid = "a".repeat(40);

it.each([
  ["a control sequence", "a\u001b[31mb", "a\ufffd[31mb"],
  ["a control character of C1", "a\u009b31mb", "a\ufffd31mb"],
  ["a change of the direction of text", "a\u202eb", "a\ufffdb"],
  ["a line break", "a\r\nb", "a\ufffd\ufffdb"],
  ["a line separator", "a\u2028b", "a\ufffdb"],
  ["text", "Zoë 東京 🙂 a-b", "Zoë 東京 🙂 a-b"],
])("shows %s", (_, text, shown) => expect(visibleText(text)).toBe(shown));

it("makes every text of an identity visible, also the conditions and their names", () => {
  const { schema } = identities;
  const identity = schema.parse({
    uid,
    name: "a\u001b",
    lastSeenTime: "2026-01-02T00:00:00.000Z",
    createTime: "2026-01-01T00:00:00.000Z",
    claimMatch: { issuer: "https://i\u001b", subjectPattern: "x", claims: { "re\u001bf": "m\u202e" }, later: 1 },
  });
  expect(identity).toEqual({
    uid,
    name: "a\ufffd",
    lastSeenTime: "2026-01-02T00:00:00.000Z",
    assumedBy: {
      method: "claimMatch",
      conditions: [
        { name: "issuer", value: "https://i\ufffd" },
        { name: "subjectPattern", value: "x" },
        { name: "claims.re\ufffdf", value: "m\ufffd" },
      ],
    },
  });
});

it("reads the other methods, and names keys by their fingerprint", () => {
  const issuer = "https://issuer.example.com";
  const staticKeys = {
    issuer,
    subject: "s",
    issuerKeys: "{}",
    audiences: ["a"],
    expirationTime: "2026-01-01T00:00:00Z",
  };
  const assumedBy = (fields: object) => identities.schema.parse({ uid, name: "n", ...fields }).assumedBy;
  expect(assumedBy({ staticKeys })).toEqual({
    method: "staticKeys",
    conditions: [
      { name: "issuer", value: issuer },
      { name: "subject", value: "s" },
      { name: "audience", value: "a" },
      { name: "keys", value: "sha256:44136fa355b3678a1146ad16f7e8649e" },
    ],
    expirationTime: "2026-01-01T00:00:00Z",
  });
  expect(assumedBy({ awsIdentity: { awsAccount: "123456789012", arn: "arn:aws:iam::1:role/x" } })).toEqual({
    method: "awsIdentity",
    conditions: [
      { name: "awsAccount", value: "123456789012" },
      { name: "arn", value: "arn:aws:iam::1:role/x" },
    ],
  });
  expect(assumedBy({})).toEqual({ method: "unknown", conditions: [] });
});

it("does not say that an identity was seen which nobody has assumed: the platform returns the time of its creation", () => {
  const time = "2026-01-01T00:00:00.000Z";
  expect(identities.schema.parse({ uid, createTime: time, lastSeenTime: time })).not.toHaveProperty("lastSeenTime");
});

it.each([
  [
    { name: "Kate\u202e", email: "k@corp.test\n" },
    { name: "Kate\ufffd", email: "k@corp.test\ufffd" },
  ],
  [{ name: "Kate", later: 1 }, { name: "Kate" }],
  [{ name: "", email: "" }, undefined],
  [undefined, undefined],
])("reads the person %j of a platform that has the field, or not", (person, known) => {
  const returned = { uid, name: "a", ...(person === undefined ? {} : { person }) };
  expect(identities.schema.parse(returned).person).toEqual(known);
});

it("keeps a capability that the platform does not know as its number", () => {
  const { capabilities } = roles.schema.parse({ uid, name: "r", capabilities: ["CAP_REPO_LIST", 70_000] });
  expect(capabilities).toEqual(new Set(["CAP_REPO_LIST", "70000"]));
});
