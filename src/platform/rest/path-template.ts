/**
 * A path template of `google.api.http`: `/iam/v2beta1/groups/{group.uid=**}`, `/a/{b}/c`, `/a/b:verb`.
 * `*` and a bare `{name}` take one segment; `**` takes any number, none included, and stands last.
 */
export interface PathTemplate {
  /** As it was written. */
  readonly text: string;
  /** The values of the template's variables by their field paths; `undefined` where the path is another one. */
  match(path: string): Readonly<Record<string, string>> | undefined;
  /** How much of the path is fixed: of two templates that match, the one with more wins. */
  readonly literalLength: number;
}

const part = /\/\*\*|\/\*|\/?\{([a-z0-9_.]+)(?:=(\*{1,2}))?\}|[^{}*]+?(?=\/?\{|\/\*|$)/y;

/** @throws Error where the template uses a form that the contract has no need of. */
export function parsePathTemplate(template: string): PathTemplate {
  let pattern = "";
  let literalLength = 0;
  const variables: string[] = [];
  part.lastIndex = 0;
  while (part.lastIndex < template.length) {
    const match = part.exec(template);
    if (match === null || match[0] === "") throw new Error(`path template ${template} is not understood`);
    const [text, variable, wildcard] = match;
    if (variable !== undefined) {
      variables.push(variable);
      pattern += wildcard === "**" ? "(?:/(.*))?" : "/([^/]+)";
    } else if (text === "/**") pattern += "(?:/.*)?";
    else if (text === "/*") pattern += "/[^/]+";
    else {
      pattern += text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      literalLength += text.length;
    }
  }
  const expression = new RegExp(`^${pattern}$`);
  return {
    text: template,
    literalLength,
    match: (path) => {
      const found = expression.exec(path);
      if (found === null) return undefined;
      const values: Record<string, string> = {};
      for (const [index, variable] of variables.entries()) values[variable] = decoded(found[index + 1] ?? "");
      return values;
    },
  };
}

/** Encoded slashes are slashes: no name in the contract has one of its own. A broken escape stays as it is. */
function decoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
