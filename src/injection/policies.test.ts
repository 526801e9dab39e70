import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { fill } from "./template.ts";
import {
  type Injection,
  type InjectionSettings,
  type InjectionValues,
  type NamedItem,
  withAgent,
  withoutAgent,
} from "./description.ts";
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
  env: [],
  caConfigMap: "",
  caKey: "ca.crt",
  agentUser: undefined,
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

function expressionsOf(settings: InjectionSettings): Expressions {
  const [policy] = policies(settings) as readonly {
    spec: {
      variables: { name: string; expression: string }[];
      mutations: { jsonPatch?: { expression: string } }[];
    };
  }[];
  return {
    variables: Object.fromEntries(policy?.spec.variables.map(({ name, expression }) => [name, expression]) ?? []),
    // The other terms of the sum create lists.
    patches: policy?.spec.mutations[0]?.jsonPatch?.expression.split("+\n").at(-1) ?? "",
  };
}
const expressions = expressionsOf(values);

/** The variables of the policy that are settings. */
function settingsOf(settings: InjectionSettings): Readonly<Record<string, unknown>> {
  const { variables } = expressionsOf(settings);
  const names = ["image", "requests", "limits", "env", "platformCa"];
  return Object.fromEntries(names.map((name) => [name, evaluate(variables[name] ?? "", {})]));
}

/** Evaluates an expression whose syntax JavaScript shares, except for the types of objects. */
function evaluate(expression: string, variables: object): unknown {
  const text = expression
    // An optional value is undefined here, and JSON has no such members.
    .replaceAll(/\?(?=runAsUser:)/g, "")
    .replaceAll(/\b(?:Object|JSONPatch)[\w.]*(?=\{)/g, "")
    .replaceAll(".flatten()", ".flat()")
    .replaceAll(/\.map\((\w), (\{[^{}]*\})\)/g, ".map(($1) => ($2))");
  const result: unknown = runInNewContext(`(${text})`, { params, variables, string: String });
  return JSON.parse(JSON.stringify(result));
}

const forRoot = { ...values, agentUser: 65_532 };
const withAuthorities = {
  ...values,
  caConfigMap: "the-ca",
  caKey: "ca.pem",
  env: [{ name: "NO_PROXY", value: ".svc" }],
};

// Both come from one description: what the policy adds, read as data, is what `muster inject` adds.
describe.each<[string, boolean, Injection, InjectionValues]>([
  ["with the agent", true, withAgent, values],
  ["without the agent", false, withoutAgent, values],
  ["with the agent, in a pod of root", true, withAgent, forRoot],
  ["with the agent, certificate authorities and variables", true, withAgent, withAuthorities],
  ["without the agent, with certificate authorities", false, withoutAgent, withAuthorities],
])("the policy %s", (_, agent, injection, filled) => {
  const variables = {
    ...settingsOf(filled),
    agentUser: filled.agentUser,
    agent,
    volumes: [] as string[],
    initContainers: [] as string[],
  };
  const [volumes, initContainers] = [fill(injection.volumes, filled), fill(injection.initContainers, filled)] as [
    NamedItem[],
    NamedItem[],
  ];
  const patches = (existing: Partial<typeof variables>) =>
    evaluate(expressions.patches, { ...variables, ...existing }) as { op: string; path: string; value: object }[];

  it("adds the volumes and the containers of the description", () => {
    expect(patches({})).toEqual([
      ...volumes.map((value) => ({ op: "add", path: "/spec/volumes/-", value })),
      ...initContainers.map((value) => ({ op: "add", path: "/spec/initContainers/0", value })),
    ]);
  });

  it("replaces the items of a pod that was injected before", () => {
    const existing = {
      volumes: ["other", ...volumes.map(({ name }) => name)],
      initContainers: ["first", ...initContainers.map(({ name }) => name)],
    };
    expect(patches(existing).map(({ op, path }) => `${op} ${path}`)).toEqual([
      ...volumes.map((_item, index) => `replace /spec/volumes/${index + 1}`),
      ...initContainers.map((_item, index) => `replace /spec/initContainers/${index + 1}`),
    ]);
  });

  it("gives every container the variables and mounts of the description", () => {
    expect(evaluate(expressions.variables["environment"] ?? "", variables)).toEqual(
      fill(injection.environment, filled),
    );
    expect(evaluate(expressions.variables["mounts"] ?? "", variables)).toEqual(fill(injection.mounts, filled));
  });
});
