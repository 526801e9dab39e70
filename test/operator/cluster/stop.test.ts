import { expect, it } from "vitest";
import { describeWithProxiedSystem } from "#test/support/harness/describe-with-system.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";

const flags = ["--platform-timeout", "60s", "--lease-duration", "4s"];

describeWithProxiedSystem("an operator that is stopped while the platform does not respond", (system, proxy) => {
  it("ends within 10 s, and lets its Lease expire because of the POST", async () => {
    const { process } = await system().startOperator(flags, { platformUrl: proxy().url });
    await process.logged("leading");
    const answer = Promise.withResolvers<void>();
    const sent = new Promise<void>((resolve) => {
      proxy().options = {
        beforeForwarding: ({ method, collection }) => {
          if (`${method} ${collection}` !== "POST groups") return undefined;
          resolve();
          return answer.promise;
        },
      };
    });
    await system().controlPlane.admin.apply(musterObject("Group", "team", "held", { parentUid: system().root }));
    await sent;
    const startedAt = performance.now();
    await process.stop();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect([process.exitCode, process.signalCode]).toEqual([0, null]);
    const [lease] = await system().controlPlane.admin.list(
      { apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
      { namespace: system().operatorNamespace },
    );
    expect(lease?.["spec"].holderIdentity).not.toBe("");
    answer.resolve();
    proxy().options = {};
    await proxy().settled();
  });
});
