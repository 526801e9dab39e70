import { afterAll, beforeAll, expect, it } from "vitest";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { describeWithProxiedSystem } from "#test/support/harness/describe-with-system.ts";
import type { Call } from "#test/support/harness/fault-proxy.ts";
import { type OperatorWrites, watchOperatorWrites } from "./operator-writes.ts";
import { kindRef, musterKinds, ref } from "#test/support/harness/muster-objects.ts";
import { SupervisedOperator } from "./supervised-operator.ts";
import { tree } from "./tree.ts";

const flags = ["--lease-duration", "2s", "--platform-timeout", "1s", "--settle-time", "500ms", "--resync", "2s"];
/** The Lease must expire seven or eight times, and processes start slowly on a busy machine. */
const timeoutMs = 240_000;
/** The calls before which the operator is killed, as `METHOD collection number`: the platform has not received them. */
const beforeForwarding = [
  "POST groups 1",
  "POST groups 4",
  "POST identities 2",
  "POST roleBindings 1",
  "PATCH groups 1",
  "PATCH identities 2",
  "DELETE roleBindings 1",
  "DELETE identities 2",
  "DELETE groups 1",
];
/** The calls after which the operator is killed: it has not received the response. */
const beforeResponding = [
  "POST groups 2",
  "POST identities 1",
  "POST roleBindings 3",
  "PATCH groups 3",
  "DELETE roleBindings 3",
  "DELETE identities 3",
  "DELETE groups 3",
];
/** The numbers of the writes to Kubernetes after which the operator is killed. */
const afterWriting = [3, 14, 25, 40];

describeWithProxiedSystem(
  "an operator that is killed at 20 moments while a tree is created, edited and deleted",
  (system, proxy) => {
    const kube = () => system().controlPlane.admin;
    const objects = () => tree(system().root, "team");
    const kills: string[] = [];
    let operator: SupervisedOperator;
    let writes: OperatorWrites;

    beforeAll(async () => {
      const killAt = (moments: readonly string[], when: string) => async (call: Call) => {
        const moment = `${call.method} ${call.collection} ${call.number}`;
        if (!moments.includes(moment)) return;
        kills.push(`${when} ${moment}`);
        await operator.kill();
      };
      proxy().options = {
        beforeForwarding: killAt(beforeForwarding, "before"),
        beforeResponding: killAt(beforeResponding, "after"),
      };
      writes = await watchOperatorWrites(kube(), "team", async (number) => {
        if (!afterWriting.includes(number)) return;
        kills.push(`after write ${number}`);
        await operator.kill();
      });
      operator = new SupervisedOperator(system(), proxy().url, flags);
    });
    afterAll(async () => {
      await operator?.stop();
      await writes?.stop();
    });

    it("creates every resource exactly once", { timeout: timeoutMs + 10_000 }, async () => {
      for (const object of objects()) await kube().apply(object);
      for (const object of objects()) await system().ready(object, timeoutMs);
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("applies every edit", { timeout: timeoutMs + 10_000 }, async () => {
      for (const { kind, metadata } of objects())
        if (kind !== "RoleBinding")
          await kube().patch(ref(kind as "Group", "team", metadata.name), { spec: { description: "Edited" } });
      for (const object of objects()) await system().ready(object, timeoutMs);
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("deletes every resource", { timeout: timeoutMs + 10_000 }, async () => {
      await Promise.all(musterKinds.map((kind) => kube().deleteAll(kindRef(kind), "team")));
      for (const object of objects()) await system().gone(object, timeoutMs);
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("was killed at each of the 20 moments", () => {
      const moments = [
        ...beforeForwarding.map((moment) => `before ${moment}`),
        ...beforeResponding.map((moment) => `after ${moment}`),
        ...afterWriting.map((number) => `after write ${number}`),
      ];
      expect(moments).toHaveLength(20);
      expect(kills.toSorted()).toEqual(moments.toSorted());
    });
  },
);
