import { expect, it } from "vitest";
import { Slots } from "./slots.ts";

it("admits as much as the bounds allow, in total and for each owner", () => {
  const slots = new Slots({ total: 3, perOwner: 2 });
  const releases = [slots.take("a"), slots.take("a")];
  expect(slots.take("a")).toBeUndefined();
  releases.push(slots.take("b"));
  expect(slots.take("c")).toBeUndefined();
  releases[0]?.();
  expect(slots.used).toBe(2);
  expect(slots.take("c")).toBeDefined();
  expect(slots.take("a")).toBeUndefined();
  releases[1]?.();
  expect(slots.take("a")).toBeDefined();
});
