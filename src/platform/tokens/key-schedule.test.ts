import { describe, expect, it } from "vitest";
import { scheduleOf } from "./key-schedule.ts";

const hour = 3_600_000;
const day = 24 * hour;
const key = (kid: string, createTime: number) => ({ kid, createTime });
const kids = (keys: readonly { readonly kid: string }[]) => keys.map(({ kid }) => kid).join("");
const at = (hours: number, ...keys: [ReturnType<typeof key>, ...ReturnType<typeof key>[]]) => {
  const { current, published, over, due } = scheduleOf(keys, 10 * day, hours * hour);
  return { current: current.kid, published: kids(published), over: kids(over), due };
};

const [a, b, c] = [key("a", 0), key("b", 10 * day), key("c", 20 * day)];

describe("scheduleOf", () => {
  it.each([
    ["the first key signs at once", at(0, a), { current: "a", published: "a", over: "", due: false }],
    ["the next one is due after the interval", at(240, a), { current: "a", published: "a", over: "", due: true }],
    ["a new key is published and not used", at(240, a, b), { current: "a", published: "ab", over: "", due: false }],
    [
      "after the lead it signs, and the old one is kept",
      at(241, a, b),
      { current: "b", published: "ab", over: "", due: false },
    ],
    [
      "the old one is kept while its last token holds",
      at(242, a, b),
      { current: "b", published: "ab", over: "", due: false },
    ],
    [
      "and a little longer, as clocks differ",
      at(242.08, a, b),
      { current: "b", published: "ab", over: "", due: false },
    ],
    ["then it is over", at(242.1, a, b), { current: "b", published: "b", over: "a", due: false }],
    ["several may be over at once", at(600, a, b, c), { current: "c", published: "c", over: "ab", due: false }],
    [
      "who slept for long makes a key, and signs with the old one meanwhile",
      at(5_000, c),
      { current: "c", published: "c", over: "", due: true },
    ],
  ])("%s", (_, schedule, expected) => expect(schedule).toEqual(expected));

  it("a short interval has a short lead: a key is used before the next one is made", () => {
    const keys = [key("a", 0), key("b", hour)] as const;
    expect(scheduleOf([...keys], hour, 1.4 * hour).current.kid).toBe("a");
    expect(scheduleOf([...keys], hour, 1.5 * hour).current.kid).toBe("b");
  });
});
