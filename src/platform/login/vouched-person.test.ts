import { expect, it } from "vitest";
import { plainName, vouchedPerson } from "./vouched-person.ts";

it.each([
  ["Kate Miller", "Kate Miller"],
  ["  Kate\t\r\n  Miller ", "Kate Miller"],
  ["Zoe\u0308 O'Neill-Łukasz, Jr. (Sales)", "Zoë O'Neill-Łukasz, Jr. (Sales)"],
  ["山田 太郎", "山田 太郎"],
  ["\u202eKate\u2066 M\u200biller\u{e0041}\u3164", "Kate Miller"],
  ["Kate\u001b[31m\u0000Miller", "Kate [31m Miller"],
  ["Kate\ud800Miller", "KateMiller"],
  ["a".repeat(99) + "😀😀", "a".repeat(99) + "😀"],
])("takes the name %j as %j", (claim, name) => expect(plainName(claim)).toBe(name));

it.each([
  undefined,
  null,
  7,
  {},
  ["Kate"],
  "",
  " \n",
  "\u200b\u202e",
  "kate@corp.test",
  "Kate <kate@corp.test>",
  "Kate \uff1ckate\uff20corp.test\uff1e",
  "Kate \ufe64kate",
])("takes no name from %j", (claim) => expect(plainName(claim)).toBeUndefined());

const person = { issuer: "https://issuer.example.com", subject: "a" };

it("vouches for a verified e-mail address alone", () => {
  const email = "Kate.Miller@corp.test";
  expect(vouchedPerson({ ...person, name: "Kate", email, emailVerified: true })).toMatchObject({ name: "Kate", email });
  expect(vouchedPerson({ ...person, name: "Kate", email, emailVerified: false })).toMatchObject({
    name: "Kate",
    email: "",
  });
  expect(vouchedPerson({ ...person, name: undefined, email, emailVerified: true })).toMatchObject({ name: "", email });
  expect(vouchedPerson({ ...person, name: undefined, email, emailVerified: false })).toBeUndefined();
});

it.each([
  "kate",
  "kate@",
  "@corp.test",
  "a@b@c",
  "a b@c",
  "<a@b>",
  "a@b\n",
  "a\u202e@b",
  '"a"@b',
  "a@b,c@d",
  "a@[::1]",
  "a(b)@c",
  "a\u200b@b",
])("vouches for no e-mail address %j", (email) =>
  expect(vouchedPerson({ ...person, name: undefined, email, emailVerified: true })).toBeUndefined(),
);
