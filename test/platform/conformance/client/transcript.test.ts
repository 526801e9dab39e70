import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { redacted, Transcript } from "./transcript.ts";

const none: ReadonlySet<string> = new Set();

describe("a text for people", () => {
  it("has no secret that is known", () => {
    expect(redacted("Bearer abc and abc", new Set(["abc"]))).toBe("Bearer [secret] and [secret]");
  });

  it("has no token, whosever it is", () => {
    expect(redacted("x eyJhbGciOiJub25lIn0.e30.c2ln y", none)).toBe("x [token] y");
    expect(redacted("eyJhbGciOiJub25lIn0.e30.", none)).toBe("[token]");
  });

  it.each(["token", "refreshToken", "clientSecret", "code"])(
    "has no %s of an answer, as JSON or as it is shown",
    (name) => {
      for (const text of [JSON.stringify({ [name]: "s3cret" }), inspect({ [name]: "s3cret" })]) {
        expect(redacted(text, none)).not.toContain("s3cret");
        expect(redacted(text, none)).toContain(name);
      }
    },
  );

  it("keeps the code of an error, and page tokens", () => {
    const text = '{"code":3,"nextPageToken":"abc"}';
    expect(redacted(text, none)).toBe(text);
  });
});

describe("a transcript", () => {
  it("keeps the last exchanges, none of them endless", () => {
    const transcript = new Transcript(new Set(["abc"]));
    for (const sent of ["one", "two", "abc"]) transcript.add(sent, "x".repeat(3_000));
    expect(transcript.last(2)).toEqual([
      { sent: "two", came: `${"x".repeat(2_000)}… (3000 characters)` },
      { sent: "[secret]", came: `${"x".repeat(2_000)}… (3000 characters)` },
    ]);
  });
});
