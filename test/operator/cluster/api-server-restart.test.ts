import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { loadOperatorRbac } from "#test/deploy/operator-rbac.ts";
import { ConnectionProxy } from "#test/operator/campaign/connection-proxy.ts";
import { OperatorPair } from "#test/operator/campaign/operator-pair.ts";
import { describeWithNewControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { musterObject, ref } from "#test/support/harness/muster-objects.ts";
import { System } from "#test/support/harness/system.ts";
import { inFewTurns } from "#test/support/turn/in-turn.ts";

const leaseMs = 4_000;
const flags = [
  "--lease-duration",
  `${leaseMs / 1000}s`,
  "--platform-timeout",
  "2s",
  "--settle-time",
  "2s",
  "--log-level",
  "debug",
];
const namespace = "team";
const servedWithinMs = 60_000;

describeWithNewControlPlane("an API server that goes away", (controlPlane) => {
  let system: System;
  let kubernetes: ConnectionProxy;
  let operators: OperatorPair;
  let round = 0;
  const kube = () => controlPlane().admin;
  const group = (name: string) => musterObject("Group", namespace, name, { parentUid: system.root });

  beforeAll(async () => {
    kubernetes = await ConnectionProxy.start(Number(new URL(controlPlane().url).port));
    system = await System.start({ controlPlane: controlPlane(), rbac: await loadOperatorRbac() });
    operators = new OperatorPair(system, flags, {
      platformUrl: system.platformUrl,
      kubernetesUrl: `https://127.0.0.1:${kubernetes.port}`,
    });
    await operators.led(servedWithinMs);
    await kube().apply(group("edited"));
    await kube().apply(group("deleted-0"));
    await system.ready(ref("Group", namespace, "edited"), servedWithinMs);
    await system.ready(ref("Group", namespace, "deleted-0"), servedWithinMs);
  });
  afterAll(async () => {
    await operators?.stop();
    await system?.stop();
    await kubernetes?.stop();
  });

  const outages: readonly (readonly [string, () => Promise<void>])[] = [
    ["is killed and starts at once", async () => controlPlane().restartApiServer()],
    ["is away for longer than the Lease", async () => controlPlane().restartApiServer(2 * leaseMs)],
    [
      "is killed while an operator starts and lists",
      async () => {
        const { leader } = operators;
        await leader?.kill();
        await controlPlane().restartApiServer();
      },
    ],
    [
      "hangs for longer than the deadline of a request",
      async () => {
        kubernetes.stall();
        await sleep(18_000);
        kubernetes.resume();
      },
    ],
  ];
  it.each(inFewTurns(2, outages))("is followed by service for every object: it %s", async (_, goAway) => {
    round += 1;
    await goAway();
    await vi.waitFor(() => kube().apply(group(`deleted-${round}`)), 10_000);
    await kube().patch(ref("Group", namespace, "edited"), { spec: { description: `round ${round}` } });
    await kube().delete(ref("Group", namespace, `deleted-${round - 1}`));
    await system.ready(ref("Group", namespace, `deleted-${round}`), servedWithinMs);
    await system.ready(ref("Group", namespace, "edited"), servedWithinMs);
    await system.gone(ref("Group", namespace, `deleted-${round - 1}`), servedWithinMs);
    expect((await system.admin.list("groups")).map(({ name }) => name)).toContain(`deleted-${round}`);
    await vi.waitFor(() => expect(operators.running).toHaveLength(2), servedWithinMs);
  });
});
