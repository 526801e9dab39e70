import { expect, it } from "vitest";
import { statusBounds } from "#src/api/status.ts";
import { plainText } from "./plain-text.ts";

it("redacts tokens", () => {
  const token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl";
  expect(plainText(`refused ${token} and Bearer abc.def`, 200)).toBe("refused [redacted] and [redacted]");
});

it("returns one line within the limit", () => {
  expect(plainText("a\nb\u0000c", 10)).toBe("a b c");
  expect(plainText("x".repeat(20), 10)).toBe(`${"x".repeat(9)}…`);
});

/** Texts of every length around `limit`, with pairs, halves of pairs and combining marks. */
function* textsAround(limit: number): Iterable<string> {
  const parts = ["a", "é", "😀", "\ud83d", "\ude00", "e\u0301", "\u2028", "\ufffd"];
  let seed = 1;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let count = 0; count < 300; count += 1) {
    const length = limit - 4 + Math.floor(random() * 8);
    let text = "";
    while (text.length < length) text += parts[Math.floor(random() * parts.length)];
    yield text;
  }
}

it.each([8, statusBounds.text])("returns what the API server stores unchanged, within %d characters", (limit) => {
  for (const text of textsAround(limit)) {
    const plain = plainText(text, limit);
    expect(Buffer.from(plain).toString()).toBe(plain);
    expect(plain.length).toBeLessThanOrEqual(limit);
    expect(plain.length).toBeGreaterThanOrEqual(Math.min(text.length, limit) - 8);
    expect(plainText(plain, limit)).toBe(plain);
  }
});

it("shortens only what is longer than the limit", () => {
  expect(["1234567", "12345678", "123456789"].map((text) => plainText(text, 8))).toEqual([
    "1234567",
    "12345678",
    "1234567…",
  ]);
});
