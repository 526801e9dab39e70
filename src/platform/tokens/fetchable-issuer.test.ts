import { expect, it } from "vitest";
import { whyNeverFetched } from "./fetchable-issuer.ts";

it.each([
  "https://issuer.example.com",
  "https://issuer.example.com:8443/realms/a/",
  "https://1.1.1.1",
  "https://localhost.example.com",
])("%s might be fetched", (issuer) => expect(whyNeverFetched(issuer, [])).toBeUndefined());

it.each([
  ["https://127.0.0.1:6443", "public address"],
  ["https://2130706433", "public address"],
  ["https://[::ffff:10.0.0.1]/", "public address"],
  ["https://169.254.169.254", "public address"],
  ["https://localhost:8443", "public address"],
  ["https://a.LOCALHOST.", "public address"],
  ["https://issuer.example.com?a", "query"],
  ["https://issuer.example.com/#", "fragment"],
])("%s is never fetched: it has no %s", (issuer, reason) => expect(whyNeverFetched(issuer, [])).toContain(reason));

it("a trusted issuer may have a private address", () => {
  const trusted = [{ issuer: "https://127.0.0.1:6443", ca: undefined, jwksUrl: undefined }];
  expect(whyNeverFetched("https://127.0.0.1:6443", trusted)).toBeUndefined();
  expect(whyNeverFetched("https://127.0.0.1:6444", trusted)).toContain("public address");
});
