import { setTimeout as sleep } from "node:timers/promises";
import { kinds } from "#src/kinds/kinds.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { policiesIn } from "#src/commands/doctor/doctor-world.testing.ts";
import type { Link } from "#src/commands/why/link.ts";
import { runCommand } from "#src/command-line.testing.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { System } from "#test/support/harness/system.ts";
import { applyAdmissionPolicy } from "./admission-policy.ts";
import { kustomize } from "./kustomize.ts";
import { loadOperatorRbac } from "./operator-rbac.ts";

// muster doctor and muster why with a real API server, which stores definitions in a form of its own.

const isPolicy = ({ kind }: KubeObject) => /AdmissionPolicy(Binding)?$/.test(kind);

/** Asks again until the API server enforces a change of a policy, which takes it a moment, or for 60 s. */
async function until<T>(ask: () => Promise<T>, isIt: (answer: T) => boolean): Promise<T> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const answer = await ask();
    if (isIt(answer) || performance.now() > deadline) return answer;
    await sleep(250);
  }
}

describeWithControlPlane("an installation", (controlPlane) => {
  let system: System;
  beforeAll(async () => {
    system = await System.start({ controlPlane: controlPlane(), namespaces: ["shop"], rbac: await loadOperatorRbac() });
    await applyAdmissionPolicy(controlPlane().admin);
    const policies = [...(await kustomize("base")).filter(isPolicy), ...policiesIn("components/pod-injection")];
    for (const policy of policies) await controlPlane().admin.apply(policy);
    await system.startOperator();
  });
  afterAll(() => system.stop());

  const place = ["--operator-namespace", "muster-system"];
  const run = (...args: readonly string[]) => {
    const reader = ["--platform-url", system.platformUrl, "--token-file", system.adminTokenFile];
    return runCommand([...args, ...reader, ...place, "--kubeconfig", controlPlane().kubeconfigFile]);
  };
  const group = (name: string, spec: object) => ({
    apiVersion: "iam.muster.dev/v1beta1",
    kind: "Group",
    metadata: { namespace: "shop", name },
    spec,
  });

  /** What muster doctor does not pass. */
  const failures = async () => {
    const { stdout } = await run("doctor", "--identity", system.identity, "--root-group", system.root, "-o", "json");
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly Link[] };
    return { checks, failed: checks.filter(({ state }) => state !== "ok") };
  };

  it("passes every check of muster doctor, asked by an administrator", async () => {
    const ready = group("web", { parentUid: system.root });
    await controlPlane().admin.apply(ready);
    await controlPlane().admin.waitFor(ready, isReady);
    const { checks, failed } = await failures();
    expect(failed).toEqual([]);
    // One is for the CRD of each kind.
    expect(checks).toHaveLength(kinds.length + 21);
    expect(checks.filter(({ link }) => link === "dry run").map(({ message }) => message)).toEqual([
      "It acts: a forged status of Tenant test was refused.",
      "It acts: a label that the operator puts on Tenant test was refused.",
      "It acts: a new Group in namespace default was changed.",
      "It acts: a pod in namespace default whose Identity does not exist was refused.",
    ]);
  });

  it.each([
    ["ValidatingAdmissionPolicyBinding", "muster-reserved"],
    ["ValidatingAdmissionPolicyBinding", "muster-operator-writes"],
    ["ValidatingAdmissionPolicyBinding", "muster-identity-required"],
    ["MutatingAdmissionPolicyBinding", "muster-finalizer"],
  ])("reports a deleted %s, and that the policy %s does not act", async (kind, name) => {
    const { admin } = controlPlane();
    const binding = { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name } };
    const before = await admin.get(binding);
    await admin.delete(binding);
    try {
      const found = await until(failures, ({ failed }) => failed.length === 2);
      expect(found.failed).toMatchObject([
        { link: "policy", subject: name, state: "problem", message: expect.stringContaining("it has no binding") },
        { link: "dry run", subject: name, state: "problem", message: expect.stringContaining("It does not act") },
      ]);
    } finally {
      await admin.apply({ ...binding, spec: before?.["spec"] });
    }
    expect((await until(failures, ({ failed }) => failed.length === 0)).failed).toEqual([]);
  });

  it("reports a policy whose binding warns", async () => {
    const { admin } = controlPlane();
    const metadata = { name: "muster-reserved" };
    const binding = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
    };
    const spec = { policyName: "muster-reserved" };
    await admin.apply({ ...binding, spec: { ...spec, validationActions: ["Warn"] } });
    try {
      const { failed } = await until(failures, (found) => found.failed.length === 2);
      expect(failed).toMatchObject([
        { message: expect.stringContaining("spec.validationActions of its binding lacks Deny") },
        { message: expect.stringContaining("It does not act") },
      ]);
    } finally {
      await admin.apply({ ...binding, spec: { ...spec, validationActions: ["Deny"] } });
    }
    expect((await until(failures, ({ failed }) => failed.length === 0)).failed).toEqual([]);
  });

  it("explains an object by the one that it refers to", async () => {
    const parent = group("a", { parentRef: { name: "missing" } });
    const child = group("b", { parentRef: { name: "a" } });
    for (const object of [parent, child]) await controlPlane().admin.apply(object);
    for (const object of [parent, child])
      await controlPlane().admin.waitFor(object, (found) => found?.["status"]?.conditions?.[0] !== undefined);
    const { code, stdout } = await run("why", "shop/Group/b");
    expect(code).toBe(3);
    expect(stdout).toContain("The cause is shop/Group/missing (ReferenceNotFound).");
    const { stdout: ready } = await run("why", "shop/Group/web");
    expect(ready).toMatch(/^shop\/Group\/web is Ready\.\n/);
    expect(ready).toContain("The group web exists at ");
  });
});
