import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { fill } from "./template.ts";
import { type Injection, type InjectionValues, withAgent, withoutAgent } from "./description.ts";
import { policies } from "./policies.ts";

const values: InjectionValues = {
  uid: "the uid",
  exchangeUrl: "https://auth.example/sts/exchange",
  platformUrl: "https://platform.example",
  audience: "the audience",
  apiAudience: "the API's audience",
  image: "muster:1",
  requests: { cpu: "1m" },
  limits: { memory: "1Mi" },
};
const params = {
  status: {
    uid: values.uid,
    exchange: {
      url: values.exchangeUrl,
      platformUrl: values.platformUrl,
      audience: values.audience,
      apiAudience: values.apiAudience,
    },
  },
};

interface Expressions {
  readonly variables: Readonly<Record<string, string>>;
  readonly patches: string;
}

const [policy] = policies(values) as readonly {
  spec: {
    variables: { name: string; expression: string }[];
    mutations: { jsonPatch?: { expression: string } }[];
  };
}[];
const expressions: Expressions = {
  variables: Object.fromEntries(policy?.spec.variables.map(({ name, expression }) => [name, expression]) ?? []),
  // The other terms of the sum create lists.
  patches: policy?.spec.mutations[0]?.jsonPatch?.expression.split("+\n").at(-1) ?? "",
};

/** Evaluates an expression whose syntax JavaScript shares, except for the types of objects. */
function evaluate(expression: string, variables: object): unknown {
  const text = expression.replaceAll(/\b(?:Object|JSONPatch)[\w.]*(?=\{)/g, "");
  const result: unknown = runInNewContext(`(${text})`, { params, variables, string: String });
  return JSON.parse(JSON.stringify(result));
}

// Both come from one description: what the policy adds, read as data, is what `muster inject` adds.
describe.each<[string, boolean, Injection]>([
  ["with the agent", true, withAgent],
  ["without the agent", false, withoutAgent],
])("the policy %s", (_, agent, injection) => {
  const settings = ["image", "requests", "limits"].map((name) => [
    name,
    evaluate(expressions.variables[name] ?? "", {}),
  ]);
  const variables = { agent, ...Object.fromEntries(settings), volumes: [] as string[], initContainers: [] as string[] };
  const patches = (existing: Partial<typeof variables>) =>
    evaluate(expressions.patches, { ...variables, ...existing }) as { op: string; path: string; value: object }[];

  it("adds the volumes and the containers of the description", () => {
    expect(patches({})).toEqual([
      ...injection.volumes.map((item) => ({ op: "add", path: "/spec/volumes/-", value: fill(item, values) })),
      ...injection.initContainers.map((item) => ({
        op: "add",
        path: "/spec/initContainers/0",
        value: fill(item, values),
      })),
    ]);
  });

  it("replaces the items of a pod that was injected before", () => {
    const existing = {
      volumes: ["other", ...injection.volumes.map(({ name }) => name)],
      initContainers: ["first", ...injection.initContainers.map(({ name }) => name)],
    };
    expect(patches(existing).map(({ op, path }) => `${op} ${path}`)).toEqual([
      ...injection.volumes.map((_item, index) => `replace /spec/volumes/${index + 1}`),
      ...injection.initContainers.map((_item, index) => `replace /spec/initContainers/${index + 1}`),
    ]);
  });

  it("gives every container the variables and mounts of the description", () => {
    expect(evaluate(expressions.variables["environment"] ?? "", variables)).toEqual(
      fill([...injection.environment], values),
    );
    expect(evaluate(expressions.variables["mounts"] ?? "", variables)).toEqual(injection.mounts);
  });
});
