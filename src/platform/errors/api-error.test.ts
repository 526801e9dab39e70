import { expect, it } from "vitest";
import { invalidArgument, notFound } from "./api-error.ts";

it("truncates what it repeats of the request", () => {
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
