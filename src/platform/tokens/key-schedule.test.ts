import { describe, expect, it } from "vitest";
import { scheduleOf } from "./key-schedule.ts";

const hour = 3_600_000;
const day = 24 * hour;
const key = (kid: string, createTime: number) => ({ kid, createTime });
const kids = (keys: readonly { readonly kid: string }[]) => keys.map(({ kid }) => kid).join("");
const at = (hours: number, ...keys: [ReturnType<typeof key>, ...ReturnType<typeof key>[]]) => {
  const { current, published, expired, due } = scheduleOf(keys, 10 * day, hours * hour);
  return { current: current.kid, published: kids(published), expired: kids(expired), due };
};

const [a, b, c] = [key("a", 0), key("b", 10 * day), key("c", 20 * day)];

describe("scheduleOf", () => {
  it.each([
    ["the first key signs at once", at(0, a), { current: "a", published: "a", expired: "", due: false }],
    ["the next key is due after the interval", at(240, a), { current: "a", published: "a", expired: "", due: true }],
    [
      "a new key is published but does not sign yet",
      at(240, a, b),
      { current: "a", published: "ab", expired: "", due: false },
    ],
    [
      "a new key signs after the lead time, and the old one stays published",
      at(241, a, b),
      { current: "b", published: "ab", expired: "", due: false },
    ],
    [
      "the old key stays published while its last token is valid",
      at(242, a, b),
      { current: "b", published: "ab", expired: "", due: false },
    ],
    [
      "the old key stays published a little longer, for clock skew",
      at(242.08, a, b),
      { current: "b", published: "ab", expired: "", due: false },
    ],
    ["then it is expired", at(242.1, a, b), { current: "b", published: "b", expired: "a", due: false }],
    ["several keys may be expired", at(600, a, b, c), { current: "c", published: "c", expired: "ab", due: false }],
    [
      "the old key signs during the lead time of a key that was created late",
      at(5_000, c),
      { current: "c", published: "c", expired: "", due: true },
    ],
  ])("%s", (_, schedule, expected) => expect(schedule).toEqual(expected));

  it("has a short lead for a short interval, so that a key signs before the next one is created", () => {
    const keys = [key("a", 0), key("b", hour)] as const;
    expect(scheduleOf([...keys], hour, 1.4 * hour).current.kid).toBe("a");
    expect(scheduleOf([...keys], hour, 1.5 * hour).current.kid).toBe("b");
  });
});
