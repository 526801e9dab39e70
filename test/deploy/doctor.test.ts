import { kinds } from "#src/kinds/kinds.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Link } from "#src/commands/why/link.ts";
import { runCommand } from "#src/command-line.testing.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { System } from "#test/support/harness/system.ts";
import { kustomize } from "./kustomize.ts";
import { loadOperatorRbac } from "./operator-rbac.ts";

// muster doctor and muster why with a real API server, which stores definitions in a form of its own.

describeWithControlPlane("an installation", (controlPlane) => {
  let system: System;
  beforeAll(async () => {
    system = await System.start({ controlPlane: controlPlane(), namespaces: ["shop"], rbac: await loadOperatorRbac() });
    const policies = (await kustomize("base")).filter(({ kind }) => kind.startsWith("ValidatingAdmissionPolicy"));
    for (const policy of policies) await controlPlane().admin.apply(policy);
    await system.startOperator();
  });
  afterAll(() => system.stop());

  const place = ["--operator-namespace", "muster-system", "--lease-name", "muster"];
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

  it("passes every check of muster doctor, asked by an administrator", async () => {
    const ready = group("web", { parentUid: system.root });
    await controlPlane().admin.apply(ready);
    await controlPlane().admin.waitFor(ready, isReady);
    const { stdout } = await run("doctor", "--identity", system.identity, "--root-group", system.root, "-o", "json");
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly Link[] };
    expect(checks.filter(({ state }) => state !== "ok")).toEqual([]);
    // One is for the CRD of each kind.
    expect(checks).toHaveLength(kinds.length + 11);
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
