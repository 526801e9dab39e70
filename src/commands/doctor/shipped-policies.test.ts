import { expect, it } from "vitest";
import { resourceKindOf } from "#src/api/resource-kind.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { policiesIn } from "./doctor-world.testing.ts";
import { bindingFlaws, type InstalledBinding, type InstalledPolicy, policyFlaws } from "./policy-flaws.ts";
import { shippedPolicies } from "./shipped-policies.ts";

const shipped = shippedPolicies(kinds.map(({ definition }) => resourceKindOf(definition).plural));
const delivered = ["base", "components/admission-policy", "components/pod-injection"].flatMap((one) => policiesIn(one));

it("describes every admission policy of deploy/, and no other", () => {
  const described = shipped.flatMap(({ name, type }) =>
    ["", "Binding"].map((suffix) => `${type}AdmissionPolicy${suffix} ${name}`),
  );
  expect(delivered.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual(described.toSorted());
});

it.each(shipped.map((one) => [one.name, one] as const))(
  "finds nothing wrong with %s as it is delivered",
  (name, one) => {
    const find = (suffix: string) =>
      delivered.find(({ kind, metadata }) => kind === `${one.type}AdmissionPolicy${suffix}` && metadata.name === name);
    const policy = find("") as InstalledPolicy;
    expect(policyFlaws(one, policy)).toEqual([]);
    expect(bindingFlaws(one, name, find("Binding") as InstalledBinding)).toEqual([]);
    // What is not described would not be missed.
    const { matchConstraints, matchConditions = [], mutations, validations } = policy.spec ?? {};
    expect(matchConstraints?.resourceRules?.flatMap(({ resources }) => resources).toSorted()).toEqual(
      [...one.resources].toSorted(),
    );
    expect(matchConstraints?.resourceRules?.flatMap(({ operations }) => operations)).toEqual(one.operations);
    expect(matchConditions.map((condition) => condition.name)).toEqual(one.conditions);
    expect((validations ?? mutations)?.length).toBe(one.rules);
  },
);
