/**
 * Texts that somebody may give a group, an identity or an object, and that must not mean anything in an output: each
 * has a part of its own that is looked for.
 */
export const hostileTexts: readonly (readonly [name: string, text: string])[] = [
  ["a pipe", "a|b||c"],
  ["a backslash before a pipe", "a\\|b\\\\|c"],
  ["backticks", "`a` ``b`` ```c"],
  ["new lines", "a\n\n# b\r\n| c |\n- d"],
  ["HTML", "<img src=x onerror=alert(1)><script>alert(1)</script><!-- -->"],
  ["an entity", "&lt;b&gt; &#64;everybody"],
  ["mentions and numbers", "@acme/owners #123 acme/shop#1 GH-1"],
  [
    "links",
    "[a](javascript:alert(1)) ![b](https://a.example/b.png) https://a.example www.a.example <https://a.example>",
  ],
  ["emphasis and lists", "**a** __b__ ~~c~~ - [ ] d"],
  ["characters that change the direction of text", "safe\u202egnp.exe\u2066\u2069\u200f"],
  ["control characters of a terminal", "a\u001b[2J\u001b]0;title\u0007\u009b31mb\u0008\u0000c"],
  ["characters that are not visible", "a\u200bb\u2060c\u{e0041}d\ue000\ufeff"],
  ["lone surrogates", "a\ud800b\udc00"],
  ["a formula", '=HYPERLINK("http://a.example";1)'],
  ["another document", "a: b\n---\nkind: Secret\n...\n%YAML"],
  ["quotes", `"a" 'b' {c: [d]}, *e &f !g`],
];

/** What a terminal obeys, or that makes one text look like another. Line breaks are allowed. */
export const obeyed = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/u;
