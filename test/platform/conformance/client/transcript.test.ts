import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { redacted, Transcript } from "./transcript.ts";

const none: ReadonlySet<string> = new Set();

describe("redacted", () => {
  it("removes known secrets", () => {
    expect(redacted("Bearer abc and abc", new Set(["abc"]))).toBe("Bearer [secret] and [secret]");
  });

  it("removes tokens that are not known", () => {
    expect(redacted("x eyJhbGciOiJub25lIn0.e30.c2ln y", none)).toBe("x [token] y");
    expect(redacted("eyJhbGciOiJub25lIn0.e30.", none)).toBe("[token]");
  });

  it.each(["token", "refreshToken", "clientSecret", "code", "access_token", "device_code", "user_code"])(
    "removes the value of %s from JSON and from inspected objects",
    (name) => {
      for (const text of [JSON.stringify({ [name]: "s3cret" }), inspect({ [name]: "s3cret" })]) {
        expect(redacted(text, none)).not.toContain("s3cret");
        expect(redacted(text, none)).toContain(name);
      }
    },
  );

  it("removes the codes and tokens of a login from forms", () => {
    const form = "POST /token\ngrant_type=a&refresh_token=s3cret-s3cret&device_code=s3cret-s3cret";
    expect(redacted(form, none)).toBe("POST /token\ngrant_type=a&refresh_token=[secret]&device_code=[secret]");
  });

  it("keeps error codes and page tokens", () => {
    for (const text of ['{"code":3,"nextPageToken":"abc"}', "GET /records?code=7&page_token=abcdefghijk"])
      expect(redacted(text, none)).toBe(text);
  });
});

describe("a transcript", () => {
  it("returns the last exchanges, redacted and cut", () => {
    const transcript = new Transcript(new Set(["abc"]));
    for (const sent of ["one", "two", "abc"]) transcript.add(sent, "x".repeat(3_000));
    expect(transcript.last(2)).toEqual([
      { request: "two", response: `${"x".repeat(2_000)}… (3000 characters)` },
      { request: "[secret]", response: `${"x".repeat(2_000)}… (3000 characters)` },
    ]);
  });
});
