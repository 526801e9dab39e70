import { beforeAll, expect, it } from "vitest";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { describeWithProxiedSystem } from "#test/support/harness/describe-with-system.ts";
import { musterObject, ref } from "#test/support/harness/muster-objects.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { everyKind, plantedClientSecret, secretsOfEveryKind, tenantOfEveryKind } from "./every-kind.ts";
import { leftInvites } from "./left-invites.ts";
import { tree } from "./tree.ts";

const flags = ["--lease-duration", "2s", "--platform-timeout", "1s", "--settle-time", "1s", "--resync", "2s"];

describeWithProxiedSystem("a leader that is suspended during a POST until its Lease has expired", (system, proxy) => {
  const kube = () => system().controlPlane.admin;
  const objects = () => tree(system().root, "team");
  let first: Operator;
  let second: Operator;
  let tokenOfFirst: string;

  beforeAll(async () => {
    first = await system().startOperator(flags, { platformUrl: proxy().url });
    await first.process.logged("leading");
    second = await system().startOperator(flags, { platformUrl: proxy().url });
    await second.process.logged("caches synced");
  });

  it("is replaced by another operator, which does the work", async () => {
    const stopped = new Promise<string>((resolve) => {
      proxy().options = {
        beforeForwarding: ({ method, collection, number, bearer }) => {
          if (`${method} ${collection} ${number}` !== "POST groups 2") return;
          first.process.signal("SIGSTOP");
          resolve(bearer);
        },
      };
    });
    for (const object of objects()) await kube().apply(object);
    tokenOfFirst = await stopped;
    const { acquired } = await second.process.logged("leading");
    expect(acquired).toBe("expired");
    for (const object of objects()) await system().ready(object);
    expect(await differencesFromPlatform(system())).toEqual([]);
  });

  it("exits with the reason when it resumes, without another write", async () => {
    const late: string[] = [];
    proxy().options = {
      beforeForwarding: ({ method, collection, bearer }) => {
        if (bearer === tokenOfFirst && method !== "GET") late.push(`${method} ${collection}`);
      },
    };
    // When it resumes, it sees the new work before it sees that its Lease has expired.
    const added = musterObject("Group", "team", "added", { parentUid: system().root });
    await kube().apply(added);
    await kube().patch(ref("Group", "team", "one"), { spec: { description: "Edited" } });
    first.process.signal("SIGCONT");
    await first.process.logged("stopped");
    await first.process.ended;
    expect(first.process.exitCode).toBe(1);
    expect(first.process.plainOutput).toMatch(/the Lease was not renewed for 1333 ms|the Lease is held by /);
    expect(late).toEqual([]);
    for (const object of [...objects(), added]) await system().ready(object);
    expect(await differencesFromPlatform(system())).toEqual([]);
    expect(second.process.running).toBe(true);
  });
});

describeWithProxiedSystem(
  "leaders that are suspended after they have created what must exist once, and before they know it",
  (system, proxy) => {
    const kube = () => system().controlPlane.admin;
    const objects = () => everyKind(system().root, "team");
    let leader: Operator;
    let follower: Operator;

    const start = async () => {
      const operator = await system().startOperator(flags, { platformUrl: proxy().url });
      await operator.process.logged("caches synced");
      return operator;
    };

    /** Applies the objects, suspends the leader after a call, and lets the other operator finish the work. */
    async function replaceLeaderAfter(moment: string, kinds: (kind: string) => boolean): Promise<Operator> {
      const suspended = leader;
      const stopped = new Promise<void>((resolve) => {
        proxy().options = {
          beforeResponding: ({ method, collection, number }) => {
            if (`${method} ${collection} ${number}` !== moment) return;
            suspended.process.signal("SIGSTOP");
            resolve();
          },
        };
      });
      const applied = objects().filter(({ kind }) => kinds(kind));
      for (const object of applied) await kube().apply(object);
      await stopped;
      await follower.process.logged("leading");
      for (const object of applied) await system().ready(object, 60_000);
      leader = follower;
      return suspended;
    }

    async function resume({ process }: Operator): Promise<void> {
      process.signal("SIGCONT");
      await process.ended;
      expect(process.exitCode).toBe(1);
    }

    beforeAll(async () => {
      system().secrets.push(plantedClientSecret);
      for (const object of secretsOfEveryKind("team")) await kube().apply(object);
      leader = await start();
      await leader.process.logged("leading");
      follower = await start();
    });

    it("an account association is created once, and not changed by the old leader", async () => {
      const old = await replaceLeaderAfter("POST accountAssociations 1", (kind) => kind !== "GroupInvite");
      await resume(old);
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("the Secret keeps the code of the invite that the new leader recorded, and the other one is reported", async () => {
      follower = await start();
      const old = await replaceLeaderAfter("POST groupInvites 1", (kind) => kind === "GroupInvite");
      const left = await leftInvites(system(), "team");
      expect(left).toHaveLength(1);
      await resume(old);
      expect(await leftInvites(system(), "team")).toEqual(left);
      expect(await differencesFromPlatform(system(), left)).toEqual([]);
    });
  },
  { tenants: tenantOfEveryKind },
);
