import { expect, it } from "vitest";
import { invalidArgument, notFound } from "./api-error.ts";

it("repeats what the caller sent, but not all of it: over gRPC a message is a header", () => {
  const long = "a".repeat(1_499) + "😀".repeat(10_000);
  for (const { message, detail } of [
    invalidArgument(long, "x"),
    invalidArgument("cap", long),
    notFound("group", long),
  ]) {
    expect(message.length).toBeLessThan(1_600);
    expect(message.isWellFormed()).toBe(true);
    expect(JSON.stringify(detail).length).toBeLessThan(1_800);
  }
  expect(invalidArgument("name", "x")).toMatchObject({
    message: "Invalid argument: name: x",
    detail: { field: "name" },
  });
});
