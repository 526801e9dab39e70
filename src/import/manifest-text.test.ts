import { expect, it } from "vitest";
import { parse } from "yaml";
import { seeded } from "#test/support/seeded.ts";
import { manifestText } from "./manifest-text.ts";

it("is YAML as people write it", () => {
  const object = {
    apiVersion: "iam.muster.dev/v1beta1",
    metadata: { name: "shop-1" },
    spec: {
      adopt: true,
      none: [],
      groups: ["a", "1"],
      claimIssuers: [{ issuer: "https://a.example", prefixes: ["b"] }],
    },
  };
  expect(manifestText(object)).toBe(`apiVersion: iam.muster.dev/v1beta1
metadata:
  name: shop-1
spec:
  adopt: true
  none: []
  groups:
    - a
    - "1"
  claimIssuers:
    - issuer: "https://a.example"
      prefixes:
        - b
`);
});

it.each([
  "yes",
  "No",
  "y",
  "on",
  "null",
  "~",
  "1e3",
  "0x1f",
  "1_000",
  "12:30",
  "2027-01-31",
  ".inf",
  "=",
  "<<",
  "",
  "- a",
  "a: b",
])("quotes %j, which a parser could take for something else", (text) => {
  expect(manifestText({ [text]: text })).toBe(`${JSON.stringify(text)}: ${JSON.stringify(text)}\n`);
});

it("escapes what people do not see", () => {
  const hidden = ["\u0000", "\u007f", "\u0085", "\u00a0", "\u200b", "\u202e", "\u2028", "\ufeff", "\u{e0041}"];
  const text = manifestText({ a: hidden.join("") });
  expect(text).toBe('a: "\\u0000\\u007f\\u0085\\u00a0\\u200b\\u202e\\u2028\\ufeff\\U000e0041"\n');
  expect(parse(text)).toEqual({ a: hidden.join("") });
});

it("says the same to parsers of YAML 1.1 and of YAML 1.2", () => {
  const random = seeded(1);
  const pieces = [
    "yes",
    "1",
    "e",
    ":",
    " ",
    "#",
    "-",
    "'",
    '"',
    "\\",
    "\n",
    "\t",
    "é",
    "\u202e",
    "😀",
    "{",
    "&",
    "*",
    "!",
    "%",
    "@",
    "`",
    "|",
  ];
  const text = () =>
    Array.from({ length: 1 + random() * 4 }, () => pieces[Math.floor(random() * pieces.length)]).join("");
  for (let count = 0; count < 2_000; count += 1) {
    const value = { [text()]: { [text()]: [text(), { [text()]: text() }], b: text() } };
    const written = manifestText(value);
    for (const version of ["1.1", "1.2"] as const)
      expect(parse(written, { version, merge: false, uniqueKeys: false }), written).toEqual(value);
  }
});
