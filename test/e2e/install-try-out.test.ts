import { afterAll, beforeAll, expect, it } from "vitest";
import { helm } from "#test/deploy/helm.ts";
import { applyExamples, installTryOut, operatorNamespace, runLabelledPod } from "#test/node/try-out.ts";
import { describeWithTarget } from "./describe-with-target.ts";
import { kubectl } from "./kubectl.ts";
import { createRestricted, removeDefinitions, removeNamespace } from "./restricted-namespace.ts";

const operatorLease = { name: "muster-operator", namespace: operatorNamespace };

describeWithTarget("the chart muster-try-out in namespaces that enforce the restricted standard", (target) => {
  const inNamespace = () => ["--namespace", operatorNamespace, ...target().helmFlags];
  const uninstall = () => helm(["uninstall", "muster", ...inNamespace()]);

  beforeAll(async () => {
    for (const name of [operatorNamespace, "shop"]) await createRestricted(target().admin, name);
  });
  afterAll(async () => {
    for (const name of ["shop", operatorNamespace]) await removeNamespace(target().admin, name);
    await removeDefinitions(target().admin);
  });

  it("is installed with one command, and passes its test", async () => {
    await installTryOut(target());
    expect(await helm(["test", "muster", "--logs", ...inNamespace()])).toContain("can assume its identity");
  });

  it("raises no alarm while the parts of the installation wait for each other", async () => {
    const log = await kubectl(target(), ["logs", "deployment/muster-operator", "--namespace", operatorNamespace]);
    expect(log).toContain('"leading"');
    expect(log.split("\n").filter((line) => line.includes('"level":"error"'))).toEqual([]);
    const events = await target().admin.list({ apiVersion: "v1", kind: "Event" }, { namespace: operatorNamespace });
    expect(events.filter(({ reason }) => reason === "NoPods")).toEqual([]);
  });

  it("makes the examples Ready, and gives a labelled pod a token", async () => {
    await applyExamples(target());
    expect(await runLabelledPod(target(), "restricted")).toBe("200 checkout production");
  });

  it("is not uninstalled while objects are left, and prints the commands after which it is", async () => {
    const refusal = await uninstall().then(
      () => "",
      (error: Error) => error.message.replaceAll("\\n", "\n"),
    );
    expect(refusal).toContain("groups.iam.muster.dev: 3 (shop/checkout, shop/checkout-production, shop/shop)");
    const commands = [...refusal.matchAll(/^ {2}kubectl (delete .*)/gm)].map(([, command = ""]) => command.split(" "));
    expect(commands).toHaveLength(1);
    for (const command of commands) await kubectl(target(), command);
    expect(await uninstall()).toContain("[Tenant] default");
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: operatorLease };
    expect((await target().admin.get(lease))["spec"].holderIdentity).toBe("");
  });

  it("is installed again at once, with the same Tenant and platform, and waits for no earlier leader", async () => {
    await installTryOut(target());
    // A Lease that is still held would cost 15 s, and the requests of its holder another 15 s.
    await applyExamples(target(), { timeoutMs: 12_000 });
    await kubectl(target(), ["delete", "--filename", "examples/", "--ignore-not-found"]);
    await uninstall();
  });
});
