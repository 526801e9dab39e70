import { expect, it } from "vitest";
import { permissionDenied } from "../errors/api-error.ts";
import { explained } from "./refused-exchange.ts";

it("explains to the host which identity and which claims, and why, and nothing to the caller", () => {
  const token = { issuer: "https://issuer.example.com", subject: "someone", audiences: ["a"] };
  const error = explained(permissionDenied("no"), { identity: "r/1", mismatch: "the subject does not match", token });
  expect(error.message).toBe("Permission denied: no");
  expect(error.explanation).toEqual({
    subject: "r/1",
    fields: { identity: "r/1", mismatch: "the subject does not match", ...token },
  });
});

it("is bounded, whatever callers send", () => {
  const token = {
    issuer: "i".repeat(5_000),
    subject: "\ud83d\ude00".repeat(3_000),
    audiences: Array(999).fill("a".repeat(999)),
  };
  const { explanation } = explained(permissionDenied("no"), { identity: undefined, mismatch: "a", token });
  expect(JSON.stringify(explanation).length).toBeLessThan(6_000);
});
