import { expect, it } from "vitest";
import { resourceKindOf } from "#src/api/resource-kind.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { policiesIn } from "./doctor-world.testing.ts";
import { bindingFlaws, type InstalledBinding, type InstalledPolicy, policyFlaws } from "./policy-flaws.ts";
import { bindingsOf, shippedPolicies } from "./shipped-policies.ts";

const shipped = shippedPolicies(kinds.map(({ definition }) => resourceKindOf(definition).plural));
const delivered = ["base", "components/admission-policy", "components/pod-injection"].flatMap((one) => policiesIn(one));

it("describes every admission policy of deploy/, and no other", () => {
  const described = shipped.flatMap((policy) => [
    `${policy.type}AdmissionPolicy ${policy.name}`,
    ...bindingsOf(policy).map(({ name }) => `${policy.type}AdmissionPolicyBinding ${name}`),
  ]);
  expect(delivered.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual(described.toSorted());
});

it.each(shipped.map((one) => [one.name, one] as const))(
  "finds nothing wrong with %s as it is delivered",
  (name, one) => {
    const find = (kind: string, named: string) =>
      delivered.find((object) => object.kind === `${one.type}${kind}` && object.metadata.name === named);
    const policy = find("AdmissionPolicy", name) as InstalledPolicy;
    expect(policyFlaws(one, policy)).toEqual([]);
    for (const binding of bindingsOf(one)) {
      const found = find("AdmissionPolicyBinding", binding.name) as InstalledBinding;
      expect(bindingFlaws(one, binding, name, found)).toEqual([]);
    }
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
