import type Token from "markdown-it/lib/token.mjs";

export interface Heading {
  readonly level: number;
  readonly text: string;
  /** The anchor, by the rules of Git hosts: links work in both places. */
  readonly id: string;
}

/** The headings of a parsed page. */
export function headingsOf(tokens: readonly Token[]): readonly Heading[] {
  const ids = new Map<string, number>();
  return tokens.flatMap((token, index) => {
    if (token.type !== "heading_open") return [];
    const text = plainText(tokens[index + 1]);
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    const count = ids.get(slug) ?? 0;
    ids.set(slug, count + 1);
    return [{ level: Number(token.tag.slice(1)), text, id: count === 0 ? slug : `${slug}-${count}` }];
  });
}

/** The text of an inline token, without markup. */
export function plainText(token: Token | undefined): string {
  return (token?.children ?? [])
    .map((child) =>
      ["text", "code_inline"].includes(child.type) ? child.content : child.type === "softbreak" ? " " : "",
    )
    .join("");
}
