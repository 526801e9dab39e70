import { describe, expect, it } from "vitest";
import { tableLines } from "./fitted-table.ts";

const root = "a".repeat(40);
const rows = [
  ["IDENTITY", "GROUP", "ROLE"],
  ["root/acme/shop/ci", `${root}/1111111111111111`, "editor"],
  ["root/acme/bank/ci", root, "viewer, and what a long sentence says of it"],
];

describe("tableLines", () => {
  it("leaves a table that fits, or whose lines may have any length, as it is", () => {
    const whole = tableLines(rows, undefined);
    expect(whole).toContain(`root/acme/shop/ci  ${root}/1111111111111111  editor\n`);
    expect(tableLines(rows, 200)).toBe(whole);
  });

  it("shortens uids and paths to what distinguishes them", () => {
    expect(tableLines(rows, 90).split("\n")).toEqual([
      "IDENTITY   GROUP               ROLE",
      "…/shop/ci  …/1111111111111111  editor",
      "…/bank/ci  aaaaaaaaaaaa…       viewer, and what a long sentence says of it",
      "",
    ]);
  });

  it("keeps so much of a path that it names one thing, and a name with its namespace", () => {
    const paths = [
      ["A"],
      ["a/b/c"],
      ["x/b/c"],
      ["b/c"],
      ["shop/ci (above)"],
      ["r/a/two words/ci (above)"],
      ["x".repeat(30)],
    ];
    expect(tableLines(paths, 29).split("\n").slice(1, 6)).toEqual([
      "a/b/c",
      "x/b/c",
      "b/c",
      "shop/ci (above)",
      "…/two words/ci (above)",
    ]);
  });

  it("shortens times to seconds", () => {
    expect(tableLines([["SINCE"], ["2026-11-28T18:27:06.514Z"]], 22)).toBe("SINCE\n2026-11-28 18:27:06Z\n");
  });

  it("wraps the widest cells, between words where there are any", () => {
    const lines = tableLines(
      [
        ["ROLE", "NOTE"],
        ["editor", `one two three four ${"x".repeat(30)}`],
      ],
      24,
    ).split("\n");
    expect(lines).toEqual([
      "ROLE    NOTE",
      "editor  one two three",
      "        four",
      "        xxxxxxxxxxxxxxxx",
      "        xxxxxxxxxxxxxx",
      "",
    ]);
  });

  it("does not make a column so narrow that it cannot be read", () => {
    const wide = [Array.from({ length: 5 }, () => "x".repeat(20))];
    expect(
      Math.max(
        ...tableLines(wide, 20)
          .split("\n")
          .map(({ length }) => length),
      ),
    ).toBe(5 * 12 + 4 * 2);
  });

  it("fits a table of 200,000 rows, each with a path", () => {
    const many = Array.from({ length: 200_000 }, (_, index) => [`root/acme/group-${index}/ci`, "x".repeat(40)]);
    const lines = tableLines([["IDENTITY", "NOTE"], ...many], 60).split("\n");
    expect(lines).toHaveLength(many.length + 2);
    expect(lines[1]).toBe(`…/group-0/ci       ${"x".repeat(40)}`);
  });
});
