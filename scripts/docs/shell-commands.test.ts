import { expect, it } from "vitest";
import { shellCommands } from "./shell-commands.ts";

it.each([
  ["a list", "a -b; c && d || e", [["a", "-b"], ["c"], ["d"], ["e"]]],
  ["a pipe", "a | b -c", [["a"], ["b", "-c"]]],
  ["a continued line", "a \\\n  --b c", [["a", "--b", "c"]]],
  ["comments", "# a b\nc # --d\ne#f", [["c"], ["e#f"]]],
  ["quotes", `a 'b c' "d e" f\\ g`, [["a", "b c", "d e", "f g"]]],
  ["substitutions", `A=$(b --c) d "$(e "$(f)")"`, [["b", "--c"], ["f"], ["e", "$()"], ["d", "$()"]]],
  ["assignments", "A=1 B=2 c\nD=3\nexport E=4", [["c"]]],
  ["redirections", 'a > b 2>/dev/null < c\nd <<<"$E" -f', [["a"], ["d", "-f"]]],
  ["here-documents", "a -f - <<END | b\nc: d\nEND\ne", [["a", "-f", "-"], ["b"], ["e"]]],
  ["functions and groups", "f() { a $1; }\n{ b; } &\n(c; d)", [["a", "$1"], ["b"], ["c"], ["d"]]],
  ["braces in words", "a -o jsonpath='{.b}' {c} {\"d\"}", [["a", "-o", "jsonpath={.b}", "{c}", "{d}"]]],
  ["keywords", "for a in b c; do d; done; if e; then f; fi", [["d"], ["e"], ["f"]]],
  ["what is not finished", "a 'b", [["a", "b"]]],
  ["programs that run another", "sudo a\nexec b", [["a"], ["b"]]],
])("reads %s", (_what, script, expected) => {
  expect(shellCommands(script)).toEqual(expected);
});
