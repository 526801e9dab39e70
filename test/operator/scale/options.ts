import { list, number, type Values } from "#test/support/bench/options.ts";

export const scenarioNames = ["tenants", "noisy", "adoption", "namespaces", "rest", "outage", "large"] as const;
export type ScenarioName = (typeof scenarioNames)[number];

export const options = {
  scenario: list("scenarios", scenarioNames),
  tenants: number("tenants: Tenants, of which", 200, { small: 10 }),
  ownCredentials: number("tenants: … have credentials of their own", 20, { small: 2 }),
  namespaces: number("tenants: namespaces of all Tenants together", 1000, { small: 50 }),
  objects: number("tenants, rest: objects", 10_000, { small: 500 }),
  resync: number("tenants, rest, large: seconds between resyncs while at rest", 20, { small: 10 }),
  broken: number("noisy: objects of one Tenant that cannot work", 5000, { small: 240 }),
  rate: number("noisy: how many of them are applied per second", 50),
  edits: number("noisy: edits of the other Tenant, at least, in each part", 500, { small: 100 }),
  adopted: number("adoption: resources that exist already", 2000, { small: 120 }),
  deleted: number("namespaces: objects that are deleted with their namespaces", 1000, { small: 100 }),
  resting: number("outage: objects at rest", 2000, { small: 100 }),
  waiting: number("outage: objects created during the outage; a fourth as many are edited", 200, { small: 20 }),
  large: number("large: objects of ten Tenants", 20_000, { small: 1000 }),
  outage: number("outage: its seconds", 150, { small: 20 }),
};

export type ScaleOptions = Values<typeof options>;
