import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { mutationsOf, withSwitches } from "./mutations.ts";

const mutated = (source: string) =>
  mutationsOf(source).map(({ start, end, text }) => source.slice(0, start) + text + source.slice(end));

describe("mutationsOf", () => {
  it.each([
    ["a === b;", ["a !== b;"]],
    ["a < b;", ["a <= b;"]],
    ["a >= b;", ["a > b;"]],
    ["a + 2;", ["a - 2;", "a + 3;", "a + 0;"]],
    ["x = !a;", ["x = a;"]],
    ["x = a ?? b;", ["x = a;"]],
    ["x = a && !b;", ["x = a || !b;", "x = !(a) && !b;", "x = a && b;"]],
    ["x = a ? b : c;", ["x = a ? c : b;"]],
    ["x = a < b ? -1 : 1;", ["x = a < b ? 1 : -1;"]],
    ["x = [true, 0];", ["x = [false, 0];", "x = [true, 1];"]],
    ["if (a) b();", ["if (!(a)) b();", "if (true) b();", "if (false) b();", "if (a) undefined;"]],
    ["if (a === b) c;", ["if (true) c;", "if (false) c;", "if (a !== b) c;"]],
    ["function f() { return a; }", ["function f() { return undefined; }"]],
    ["x = (a) => a.b;", ["x = (a) => undefined;"]],
    ["x = a.filter(f).map(g);", ["x = a.map(g);"]],
    ["x = a.some(f);", ["x = a.every(f);"]],
    ["x = Math.min(a, b);", ["x = Math.max(a, b);"]],
    ["await f();", ["undefined;"]],
  ])("%s", (source, expected) => {
    expect(mutated(source)).toEqual(expected);
  });

  it("changes only what runs, and no text", () => {
    const source = `
      import type { A } from "./a.ts";
      type B = true | 1;
      interface C { readonly size: 2; f(a: A extends B ? 1 : 2): false }
      const { 1: one, two } = <C>three as unknown as { 1: true };
      enumerated[key] = "text" as const;
      throw new Error(\`at \${one + two}\`);
    `;
    expect(mutated(source)).toEqual([]);
  });

  it("replaces no link of an optional chain", () => {
    expect(mutated("x = a?.filter(f)?.[b === c].slice(d < e);")).toEqual([
      "x = a?.filter(f)?.[b !== c].slice(d < e);",
      "x = a?.filter(f)?.[b === c].slice(d <= e);",
    ]);
  });

  it("counts in characters", () => {
    expect(mutated("x = '– 😀' + (a < b);")).toContain("x = '– 😀' + (a <= b);");
  });
});

describe("withSwitches", () => {
  const source = "(a, b, c) => (a < b && b < c ? [a, b, c].filter((one) => one !== 2).length + 1 : -1)";
  const mutations = mutationsOf(source).map((mutation, number) => ({ ...mutation, number }));
  const evaluate = (text: string, isActive: (number: number) => boolean) =>
    [
      [1, 2, 3],
      [1, 1, 3],
      [2, 1, 1],
      [1, 2, 2],
    ].map(([a, b, c]) => runInNewContext(`(${text})`, { on: isActive })(a, b, c));

  it("is the original while no mutation is active", () => {
    expect(evaluate(withSwitches(source, mutations, "on"), () => false)).toEqual(evaluate(source, () => false));
  });

  it.each(mutations)("$number: $change", ({ number, start, end, text }) => {
    const mutant = source.slice(0, start) + text + source.slice(end);
    expect(evaluate(withSwitches(source, mutations, "on"), (one) => one === number)).toEqual(
      evaluate(mutant, () => false),
    );
  });
});
