/** A place in a template for a value that is known only when a pod is injected. */
export class Hole<Name extends string = string> {
  readonly name: Name;
  constructor(name: Name) {
    this.name = name;
  }
}

/** Items of a list that exist only if the text for a hole is not empty. */
export class IfSet<Name extends string, Item> {
  readonly name: Name;
  readonly items: readonly Item[];
  constructor(name: Name, items: readonly Item[]) {
    this.name = name;
    this.items = items;
  }
}

/** The items of the list that is the value of a hole, as part of another list. */
export class ItemsOf<Name extends string = string> {
  readonly name: Name;
  constructor(name: Name) {
    this.name = name;
  }
}

/** A value of a field that exists only if there is a value for the hole: in CEL an `optional`, otherwise not undefined. */
export class Optional<Name extends string = string> {
  readonly name: Name;
  constructor(name: Name) {
    this.name = name;
  }
}

/** A list of a template. */
export type ListTemplate<Name extends string, Item> = readonly (Item | IfSet<Name, Item> | ItemsOf<Name>)[];

/** Part of a Kubernetes object, with holes. */
export type Template<Name extends string = string> =
  | string
  | number
  | boolean
  | Hole<Name>
  | readonly (Template<Name> | IfSet<Name, Template<Name>> | ItemsOf<Name>)[]
  | { readonly [field: string]: Template<Name> | Optional<Name> };

/** The part of a Kubernetes object that a template describes, with a value in each hole. */
export function fill<Values extends object>(template: Template<keyof Values & string>, values: Values): unknown {
  if (template instanceof Hole) return values[template.name];
  if (isList(template))
    return template.flatMap((item) => {
      if (item instanceof IfSet) return values[item.name] === "" ? [] : item.items.map((one) => fill(one, values));
      if (item instanceof ItemsOf) return values[item.name];
      return [fill(item, values)];
    });
  if (typeof template !== "object") return template;
  return Object.fromEntries(
    Object.entries(template)
      .map(([field, value]) => [field, value instanceof Optional ? values[value.name] : fill(value, values)])
      .filter(([, value]) => value !== undefined),
  );
}

/**
 * The same part as a CEL expression, for a MutatingAdmissionPolicy.
 * @param type of the part, such as `Object.spec.volumes`; undefined for a map that is not part of an object.
 * @param expressions that stand for the values of the holes.
 */
export function toCel<Name extends string>(
  template: Template<Name>,
  type: string | undefined,
  expressions: Readonly<Record<Name, string>>,
): string {
  if (template instanceof Hole) return expressions[template.name];
  if (isList(template)) return listToCel(template, (item) => toCel(item, type, expressions), expressions);
  if (typeof template !== "object") return celLiteral(template);
  const fields = Object.entries(template).map(([field, value]) => {
    const name = type === undefined ? celLiteral(field) : field;
    if (value instanceof Optional) return `?${name}: ${expressions[value.name]}`;
    return `${name}: ${toCel(value, type === undefined ? undefined : `${type}.${field}`, expressions)}`;
  });
  return layOut(`${type ?? ""}{`, fields, "}");
}

/**
 * A list as a CEL expression.
 * @param itemToCel makes an expression of one item
 */
export function listToCel<Name extends string, Item>(
  list: ListTemplate<Name, Item>,
  itemToCel: (item: Item) => string,
  expressions: Readonly<Record<Name, string>>,
): string {
  const parts: string[] = [];
  let items: string[] = [];
  const endItems = () => {
    if (items.length > 0) parts.push(layOut("[", items, "]"));
    items = [];
  };
  for (const item of list) {
    if (item instanceof IfSet) {
      endItems();
      const present = layOut("[", item.items.map(itemToCel), "]");
      parts.push(`(${expressions[item.name]} == "" ? [] : ${present})`);
    } else if (item instanceof ItemsOf) {
      endItems();
      parts.push(expressions[item.name]);
    } else items.push(itemToCel(item));
  }
  endItems();
  const [only = "[]", ...more] = parts;
  return more.length === 0 ? only : concatenation(parts);
}

/** Lists as one list, in CEL. */
export function concatenation(lists: readonly string[]): string {
  return `${layOut("[", lists, "]")}.flatten()`;
}

const maxWidth = 120;

/** On one line if there is room, otherwise one line for each item. */
function layOut(open: string, items: readonly string[], close: string): string {
  const line = `${open}${items.join(", ")}${close}`;
  if (line.length <= maxWidth && !line.includes("\n")) return line;
  return `${open}\n${indent(items.join(",\n"))}\n${close}`;
}

export const indent = (text: string): string => text.replace(/^/gm, "  ");

/** A string, number, boolean, list or map of them as a CEL literal. JSON has the same literals. */
export function celLiteral(value: unknown): string {
  return JSON.stringify(value);
}

// `Array.isArray` does not narrow a readonly array.
function isList<Name extends string>(template: Template<Name>): template is ListTemplate<Name, Template<Name>> {
  return Array.isArray(template);
}
