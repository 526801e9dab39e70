/**
 * A path template of `google.api.http`: `/iam/v2beta1/groups/{group.uid=**}`, `/a/{b}/c`, `/a/b:verb`.
 * `*` and a bare `{name}` match one segment; `**` matches any number of segments, including none, and must be last.
 */
export interface PathTemplate {
  /** The template as it was written. */
  readonly text: string;
  /** The values of the variables by field path; `undefined` if the path does not match. */
  match(path: string): Readonly<Record<string, string>> | undefined;
  /** The field paths of the variables, in their order. */
  readonly variables: readonly string[];
  /** The number of literal characters. Of two templates that match, the one with more takes precedence. */
  readonly literalLength: number;
}

const part = /\/\*\*|\/\*|\/?\{([a-z0-9_.]+)(?:=(\*{1,2}))?\}|[^{}*]+?(?=\/?\{|\/\*|$)/y;

/** @throws Error if the template uses a form that the contract does not need */
export function parsePathTemplate(template: string): PathTemplate {
  let pattern = "";
  let literalLength = 0;
  const variables: string[] = [];
  part.lastIndex = 0;
  while (part.lastIndex < template.length) {
    const match = part.exec(template);
    if (match === null || match[0] === "") throw new Error(`path template ${template} is not supported`);
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
    variables,
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

/** Decodes a value. Encoded slashes become slashes, which no segment contains. An invalid escape is not decoded. */
function decoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
