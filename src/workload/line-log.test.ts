import { expect, it } from "vitest";
import { lineLog } from "./line-log.ts";

it("writes one line of JSON, in which tokens are redacted", () => {
  const lines: string[] = [];
  const log = lineLog(
    (line) => lines.push(line),
    () => 0,
  );
  log.info("token renewed", { expiry: "2026-01-01T12:00:00Z" });
  log.error("failed", { reason: "two\nlines, and Bearer eyJhbGciOiJSUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl" });
  expect(lines).toEqual([
    '{"level":"info","time":"1970-01-01T00:00:00.000Z","msg":"token renewed","expiry":"2026-01-01T12:00:00Z"}\n',
    '{"level":"error","time":"1970-01-01T00:00:00.000Z","msg":"failed","reason":"two\\nlines, and Bearer [redacted]"}\n',
  ]);
});
