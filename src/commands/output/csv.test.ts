import { expect, it } from "vitest";
import { csvTable } from "./csv.ts";

const cell = (text: string) => csvTable(["A"], [[text]]).slice('\ufeff"A"\r\n'.length);

it("prints rows as RFC 4180 says, in UTF-8 that a spreadsheet recognizes", () => {
  expect(csvTable(["A", "B"], [["1", 'a "b", c']])).toBe('\ufeff"A","B"\r\n"1","a ""b"", c"\r\n');
});

it.each([
  ["a formula", "=1+1", "'=1+1"],
  ["a call", '=HYPERLINK("http://x")', '\'=HYPERLINK(""http://x"")'],
  ["a sign", "+1", "'+1"],
  ["a minus", "-1", "'-1"],
  ["an at sign", "@SUM(A1)", "'@SUM(A1)"],
  ["a tab", "\t=1", "'\t=1"],
  ["a carriage return", "\r=1", "'\r=1"],
  ["white space before it", "  =1", "'  =1"],
  ["full-width characters", "＝1", "'＝1"],
  ["a separator of another language", 'a";=1', 'a"";\'=1'],
  ["a new line", "a\n=1", "a\n'=1"],
])("takes the meaning from %s", (_, text, shown) => expect(cell(text)).toBe(`"${shown}"\r\n`));

it("leaves other texts as they are", () => {
  for (const text of ["a-b=c", "root/shop/ci", "issuer https://example.com, subject repo:acme/shop", ""])
    expect(cell(text)).toBe(`"${text}"\r\n`);
});
