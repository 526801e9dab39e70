import { afterAll, beforeAll, expect, it } from "vitest";
import { follow } from "#test/support/control-plane/follow.ts";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { describeWithProxiedSystem } from "#test/support/harness/describe-with-system.ts";
import { issuedIn } from "#test/support/harness/secret-objects.ts";
import { everyKind, plantedClientSecret, secretsOfEveryKind, tenantOfEveryKind } from "./every-kind.ts";
import { leftInvites } from "./left-invites.ts";
import { SupervisedOperator } from "./supervised-operator.ts";

const flags = ["--lease-duration", "2s", "--platform-timeout", "1s", "--settle-time", "500ms", "--resync", "2s"];
/** The Lease must expire four times, and processes start slowly on a busy machine. */
const timeoutMs = 120_000;
/** The calls after which the operator is killed: it has not received the response. */
const beforeResponding = ["POST groupInvites 1", "POST accountAssociations 1", "DELETE groupInvites 1"];

describeWithProxiedSystem(
  "an operator that is killed between creating an invite and recording it",
  (system, proxy) => {
    const kube = () => system().controlPlane.admin;
    const objects = () => everyKind(system().root, "team");
    const kills: string[] = [];
    const stop = new AbortController();
    let following: Promise<void>;
    let operator: SupervisedOperator;

    beforeAll(async () => {
      system().secrets.push(plantedClientSecret);
      for (const object of secretsOfEveryKind("team")) await kube().apply(object);
      const kill = async (moment: string) => {
        kills.push(moment);
        await operator.kill();
      };
      proxy().options = {
        beforeResponding: async ({ method, collection, number }) => {
          const moment = `${method} ${collection} ${number}`;
          if (beforeResponding.includes(moment)) await kill(`after ${moment}`);
        },
      };
      following = (async () => {
        for await (const { object } of follow(kube(), { apiVersion: "v1", kind: "Secret" }, "team", stop.signal))
          if (issuedIn(object) !== undefined && !kills.includes("after the Secret")) await kill("after the Secret");
      })();
      // Its failure is reported at the end.
      following.catch(() => undefined);
      operator = new SupervisedOperator(system(), proxy().url, flags);
    });
    afterAll(async () => {
      await operator?.stop();
      stop.abort();
      await following;
    });

    it("creates another invite if the code is lost, and no third one", { timeout: timeoutMs + 10_000 }, async () => {
      for (const object of objects()) await kube().apply(object);
      for (const object of objects()) await system().ready(object, timeoutMs);
      expect(kills).toContain("after the Secret");
      const left = await leftInvites(system(), "team");
      expect(left).toHaveLength(1);
      expect(await differencesFromPlatform(system(), left)).toEqual([]);
    });

    it("deletes every resource that it has an object for", { timeout: timeoutMs + 10_000 }, async () => {
      // As the Group says, a person does that.
      for (const uid of await leftInvites(system(), "team")) await system().admin.delete("groupInvites", uid);
      for (const object of objects()) await kube().delete(object);
      for (const object of objects()) await system().gone(object, timeoutMs);
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("was killed at each of the moments", () => {
      const moments = ["after the Secret", ...beforeResponding.map((moment) => `after ${moment}`)];
      expect(kills.toSorted()).toEqual(moments.toSorted());
    });
  },
  { tenants: tenantOfEveryKind },
);
