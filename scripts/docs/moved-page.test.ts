import { expect, it } from "vitest";
import { movedPageMistakes, pagesThatLeadOn } from "./moved-page.ts";
import type { MovedPage } from "./moved-pages.ts";

const moved: readonly MovedPage[] = [
  ["concepts/old.html", "reference/new.html"],
  ["concepts/old.html#part", "reference/new.html#the-part"],
];

it("leads from each old page to the new one, and from its sections to theirs", () => {
  const page = pagesThatLeadOn(moved).get("concepts/old.html");
  expect(page).toContain('url=../reference/new.html"');
  expect(page).toContain('<a href="../reference/new.html#the-part" data-from="#part">');
  expect(page).toContain('src="../assets/moved.js"');
});

it.each<[string, ReadonlyMap<string, ReadonlySet<string>>, readonly string[]]>([
  ["nothing where all exist", new Map([["reference/new.html", new Set(["the-part"])]]), []],
  [
    "a section that does not exist",
    new Map([["reference/new.html", new Set()]]),
    ["concepts/old.html#part leads to reference/new.html#the-part, which does not exist"],
  ],
  [
    "a page that is still there",
    new Map([
      ["reference/new.html", new Set(["the-part"])],
      ["concepts/old.html", new Set()],
    ]),
    [
      "concepts/old.html is still a page, so it cannot lead to reference/new.html",
      "concepts/old.html#part is still a page, so it cannot lead to reference/new.html#the-part",
    ],
  ],
])("reports %s", (_what, ids, mistakes) => {
  expect(movedPageMistakes(moved, ids)).toEqual(mistakes);
});
