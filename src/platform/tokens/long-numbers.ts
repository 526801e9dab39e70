const none: ReadonlyMap<string, string> = new Map();

/** Matches every JSON text with a number that a double may not represent, and some others: digits can be in a string. */
const maybeLong = /\d[\d.]{15}|\d[eE]/;

/**
 * The members of a JSON object that are numbers which JavaScript's numbers do not represent exactly, as they are written:
 * an id of 19 digits must not equal its neighbours.
 * @param json the text of an object
 */
export function longNumbersIn(json: string): ReadonlyMap<string, string> {
  if (!maybeLong.test(json)) return none;
  const byObject = new Map<unknown, Map<string, string>>();
  let found: ReadonlyMap<string, string> = none;
  JSON.parse(json, function (this: unknown, name: string, value: unknown, context?: { readonly source?: string }) {
    const source = context?.source;
    if (typeof value === "number" && source !== undefined && decimal(source) !== decimal(String(value))) {
      const members = byObject.get(this) ?? new Map<string, string>();
      byObject.set(this, members.set(name, source));
    }
    // The whole object comes last, with an empty name.
    if (name === "") found = byObject.get(value) ?? none;
    return value;
  });
  return found;
}

/** A decimal number in one of its spellings only: `1.50` and `15e-1` are both `15e-1`. */
function decimal(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
