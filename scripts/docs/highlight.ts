/** Marks comments, and the keys of YAML, in a code block whose HTML is already escaped. */
export function highlight(escaped: string, language: string): string {
  if (!["sh", "yaml", "promql", "toml", "python"].includes(language)) return escaped;
  return escaped
    .split("\n")
    .map((line) => {
      const [, code = "", comment = ""] = /^((?:.*?\s)??)(#(?:\s|!).*)?$/.exec(line) ?? [undefined, line];
      const keys =
        language === "yaml"
          ? code.replace(/^(\s*(?:- )*)([\w./-]+)(?=:(?:\s|$))/, '$1<span class="key">$2</span>')
          : code;
      return comment === "" ? keys : `${keys}<span class="comment">${comment}</span>`;
    })
    .join("\n");
}
