import { expect, it } from "vitest";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { conditionOf, isReady, isUnready, musterObject } from "#test/support/harness/muster-objects.ts";

const rbac = "rbac.authorization.k8s.io";
const clusterRole = { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name: "muster-operator" } };
const admission = "admissionregistration.k8s.io/v1";

describeWithSystem("refusals by Kubernetes", (system, operator) => {
  const kube = () => system().controlPlane.admin;
  const group = (name: string) => musterObject("Group", "team", name, { parentUid: system().root, name });
  const metric = async (line: RegExp) => (await operator().metrics()).split("\n").find((one) => line.test(one));

  it("shows on the object that an admission policy does not let the operator change it", async () => {
    const policy = {
      apiVersion: admission,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "freeze" },
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ["iam.muster.dev"],
              apiVersions: ["*"],
              operations: ["UPDATE"],
              resources: ["groups"],
            },
          ],
        },
        validations: [
          {
            expression: "!request.userInfo.username.endsWith(':muster-operator')",
            message: "nothing changes on Friday 😀",
          },
        ],
      },
    };
    const policyBinding = {
      apiVersion: admission,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: "freeze" },
      spec: { policyName: "freeze", validationActions: ["Deny"] },
    };
    await kube().apply(policy);
    await kube().apply(policyBinding);
    // A policy takes effect some time after it was created.
    const shown = await (async function attempt(number: number): Promise<object | undefined> {
      const frozen = group(`frozen-${number}`);
      await kube().apply(frozen);
      const outcome = await system().waitFor(frozen, (one) => isReady(one) || isUnready("KubernetesForbidden")(one));
      return isReady(outcome) ? attempt(number + 1) : outcome;
    })(0);
    expect(conditionOf(shown as never, "Ready")?.message).toMatch(
      /ValidatingAdmissionPolicy 'freeze'.*nothing changes on Friday 😀.*Change the policy/,
    );
    expect(await metric(/^muster_kubernetes_refused\{kind="Group",step="addFinalizer"\} 1$/)).toBeDefined();
    await kube().delete(policyBinding);
    await kube().delete(policy);
    await system().waitFor(shown as never, isReady, 60_000);
  });

  it("serves the other kinds while one cannot be read, and that one as soon as it can be", async () => {
    await operator().process.stop();
    const role = await kube().waitFor(clusterRole, (object) => object !== undefined);
    const granted: { apiGroups: string[]; resources: string[]; verbs: string[] }[] = role?.["rules"] ?? [];
    const rules = granted.map((rule) =>
      rule.apiGroups.includes("iam.muster.dev")
        ? { ...rule, resources: rule.resources.filter((one) => one !== "identities") }
        : rule,
    );
    await kube().apply({ ...clusterRole, rules });
    const restarted = await system().startOperator();
    await restarted.process.logged(({ msg }) => msg.startsWith("the objects of this kind cannot be read"));
    const top = group("top");
    const identity = musterObject("Identity", "team", "someone", {
      groupRef: { name: "top" },
      claimMatch: { issuer: "https://issuer.example", subject: "someone" },
    });
    await kube().apply(top);
    await system().ready(top);
    expect((await restarted.metrics()).split("\n")).toContain('muster_kind_readable{kind="Identity"} 0');
    await kube().apply(identity);
    await kube().apply({ ...clusterRole, rules: role?.["rules"] });
    await system().ready(identity, 60_000);
    const unreadable = restarted.process.log.filter(({ msg }) => msg.startsWith("the objects of this kind cannot"));
    expect(unreadable).toHaveLength(1);
  });
});
