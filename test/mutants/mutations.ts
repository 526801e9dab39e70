import { parseAst } from "vitest/node";

/** One changed expression. The program that has it differs from the original in one token, more or less. */
export interface Mutation {
  /** Where the expression is: offsets in the text of the file. */
  readonly start: number;
  readonly end: number;
  /** The changed expression. */
  readonly text: string;
  /** What was changed, as in "`<` becomes `<=`". */
  readonly change: string;
}

/** A mutation of a file, with its number in a sample. */
export interface Mutant extends Mutation {
  readonly number: number;
  readonly file: string;
  readonly line: number;
}

/** A node of the syntax tree (ESTree, with the types of TypeScript). */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const otherOperator: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
};
const otherMethod: Readonly<Record<string, string>> = { some: "every", every: "some", min: "max", max: "min" };
/** Methods whose result has the type of the array. */
const narrowing = new Set(["filter", "slice", "toSorted", "toReversed"]);

/** The fields of a node that hold no expression that is evaluated, or none that may be replaced by another expression. */
const notEvaluated: Readonly<Record<string, readonly string[]>> = {
  AssignmentExpression: ["left"],
  UpdateExpression: ["argument"],
  ForOfStatement: ["left"],
  ForInStatement: ["left"],
  ImportDeclaration: ["source", "specifiers"],
  ExportNamedDeclaration: ["source", "specifiers"],
  ExportAllDeclaration: ["source"],
  ThrowStatement: ["argument"],
};
/** They only give the expression in them another type. */
const typed = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

/** Every mutation of a TypeScript file, from its beginning to its end. Texts, types and what is thrown stay as they are. */
export function mutationsOf(source: string): Mutation[] {
  const mutations: Mutation[] = [];
  visit(parseAst(source, { lang: "ts" }) as unknown as Node, false);
  return mutations.toSorted((a, b) => a.start - b.start || b.end - a.end);

  /** @param inChain whether the node is a link of an optional chain, which cannot be replaced without the others */
  function visit(node: Node, inChain: boolean): void {
    if (node.type.startsWith("TS") && !typed.has(node.type)) return;
    if (!inChain) mutate(node);
    if (isComparison(node)) return;
    for (const [field, value] of Object.entries(node)) {
      if (notEvaluated[node.type]?.includes(field)) continue;
      if ((field === "key" || field === "property") && node["computed"] !== true) continue;
      const link = node.type === "ChainExpression" || (inChain && ["object", "callee", "expression"].includes(field));
      for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) visit(one, link);
    }
  }

  /** `a < b ? -1 : 1`: how much less does not matter, nor how two equal ones compare. */
  function isComparison(node: Node): boolean {
    return node.type === "ConditionalExpression" && textOf(child(node, "consequent")) === "-1";
  }

  function mutate(node: Node): void {
    switch (node.type) {
      case "BinaryExpression":
        return swapOperator(node);
      case "LogicalExpression":
        if (node["operator"] === "??") return replace(node, textOf(child(node, "left")), "the default is removed");
        negate(child(node, "left"));
        negate(child(node, "right"));
        return swapOperator(node);
      case "UnaryExpression":
        if (node["operator"] === "!") replace(node, textOf(child(node, "argument")), "`!` is removed");
        return;
      case "Literal":
        return mutateLiteral(node);
      case "ConditionalExpression": {
        const [test, yes, no] = [child(node, "test"), child(node, "consequent"), child(node, "alternate")];
        return replace(node, `${textOf(test)} ? ${textOf(no)} : ${textOf(yes)}`, "the branches are swapped");
      }
      case "IfStatement": {
        const test = child(node, "test");
        negate(test);
        replace(test, "true", "the condition is always true");
        return replace(test, "false", "the condition is always false");
      }
      case "ReturnStatement":
        return removeResult(node["argument"]);
      case "ArrowFunctionExpression":
        return node["expression"] === true ? removeResult(node["body"]) : undefined;
      case "ExpressionStatement":
        if (/^(Call|Await)/.test(child(node, "expression").type))
          replace(child(node, "expression"), "undefined", "the call is removed");
        return;
      case "CallExpression":
        return mutateCall(node);
      default:
    }
  }

  function swapOperator(node: Node): void {
    const operator = String(node["operator"]);
    const other = otherOperator[operator];
    if (other === undefined) return;
    const at = source.indexOf(operator, child(node, "left").end);
    const text = source.slice(node.start, at) + other + source.slice(at + operator.length, node.end);
    replace(node, text, `\`${operator}\` becomes \`${other}\``);
  }

  function mutateLiteral(node: Node): void {
    const { value } = node;
    if (typeof value === "boolean") replace(node, String(!value), `\`${value}\` becomes \`${!value}\``);
    if (typeof value === "number") replace(node, String(value + 1), `\`${value}\` becomes \`${value + 1}\``);
    if (typeof value === "number" && value > 0) replace(node, "0", `\`${value}\` becomes \`0\``);
  }

  function mutateCall(node: Node): void {
    const callee = child(node, "callee");
    if (callee.type !== "MemberExpression" || callee["computed"] === true) return;
    const [object, method] = [child(callee, "object"), child(callee, "property")];
    const name = textOf(method);
    if (narrowing.has(name)) replace(node, textOf(object), `\`.${name}()\` is removed`);
    const other = otherMethod[name];
    if (other === undefined) return;
    const text = source.slice(node.start, method.start) + other + source.slice(method.end, node.end);
    replace(node, text, `\`.${name}()\` becomes \`.${other}()\``);
  }

  /** Operators have a mutation of their own that is the same or covers more. */
  function negate(condition: Node): void {
    if (/^(Binary|Logical|Unary|Parenthesized)Expression$|^Literal$/.test(condition.type)) return;
    replace(condition, `!(${textOf(condition)})`, "the condition is negated");
  }

  function removeResult(result: unknown): void {
    if (!isNode(result) || ["undefined", "null", "false"].includes(textOf(result))) return;
    if (result.type !== "BlockStatement") replace(result, "undefined", "the result is undefined");
  }

  function replace({ start, end }: Node, text: string, change: string): void {
    mutations.push({ start, end, text, change });
  }

  function textOf({ start, end }: Node): string {
    return source.slice(start, end);
  }
}

/**
 * The text with all of the mutations in it, of which a global function switches on one while the program runs: it is called
 * with the number of a mutation when its expression is evaluated.
 */
export function withSwitches(
  source: string,
  mutations: readonly (Mutation & { readonly number: number })[],
  isActive: string,
): string {
  return between(0, source.length, mutations);

  function between(start: number, end: number, inside: typeof mutations): string {
    let text = "";
    let at = start;
    // An expression comes before those in it.
    let rest = inside.toSorted((a, b) => a.start - b.start || b.end - a.end);
    for (let outer = rest[0]; outer !== undefined; outer = rest[0]) {
      const site = outer;
      const within = rest.filter((one) => one.start < site.end);
      const here = within.filter((one) => one.start === site.start && one.end === site.end);
      const branches = here.map((one) => `${isActive}(${one.number}) ? (${one.text}) : `).join("");
      const original = between(
        site.start,
        site.end,
        within.filter((one) => !here.includes(one)),
      );
      text += `${source.slice(at, site.start)}(${branches}(${original}))`;
      at = site.end;
      rest = rest.filter((one) => one.start >= site.end);
    }
    return text + source.slice(at, end);
  }
}

function child(node: Node, field: string): Node {
  const value = node[field];
  if (!isNode(value)) throw new Error(`A ${node.type} has no ${field}.`);
  return value;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
