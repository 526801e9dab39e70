import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { describeWithProxiedSystem } from "#test/support/harness/describe-with-system.ts";
import { isUnready, musterObject } from "#test/support/harness/muster-objects.ts";

const latencyMs = 20;
const workers = 16;

/** A call that arrived at the platform, or close to it. */
interface Arrival {
  readonly method: string;
  readonly collection: string;
  readonly at: number;
}

describeWithProxiedSystem(
  "an operator whose owner id is given to another cluster while it deletes",
  (system, proxy) => {
    const kube = () => system().controlPlane.admin;
    const groups = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) =>
        musterObject("Group", "team", `${prefix}-${index}`, { parentUid: system().root }),
      );
    const arrivals: Arrival[] = [];
    const count = (method: string, collection: string) =>
      arrivals.filter((one) => one.method === method && one.collection === collection).length;

    beforeAll(async () => {
      const operator = await system().startOperator(["--workers", `${workers}`, "--resync", "1h"], {
        platformUrl: proxy().url,
      });
      await operator.process.logged("leading");
      proxy().options = {
        beforeForwarding: ({ method, collection }) => void arrivals.push({ method, collection, at: performance.now() }),
      };
    });

    it("reads its identity once for each single deletion, once for many at the same time, and never at rest", async () => {
      const single = groups("single", 5);
      const burst = groups("burst", 48);
      for (const one of [...single, ...burst]) await kube().apply(one);
      for (const one of [...single, ...burst]) await system().ready(one);
      arrivals.length = 0;
      await sleep(2_000);
      expect(count("GET", "identities")).toBe(0);
      for (const one of single) {
        await kube().delete(one);
        await system().gone(one);
      }
      expect([count("GET", "identities"), count("DELETE", "groups")]).toEqual([5, 5]);
      arrivals.length = 0;
      for (const one of burst) await kube().delete(one);
      for (const one of burst) await system().gone(one);
      console.info(`${count("GET", "identities")} reads for ${count("DELETE", "groups")} deletions in a burst`);
      expect(count("DELETE", "groups")).toBe(48);
      expect(count("GET", "identities")).toBeLessThan(48);
    });

    it("deletes nothing more than what was under way, and continues when it has the owner id again", async () => {
      const { admin, identity, root } = system();
      const all = groups("lost", 64);
      for (const one of all) await kube().apply(one);
      for (const one of all) await system().ready(one);
      const own = (await admin.get("identities", identity)).description;
      let deletions = 0;
      let lostAt = Number.POSITIVE_INFINITY;
      const late: number[] = [];
      proxy().options = {
        beforeForwarding: async ({ method }) => {
          if (method !== "DELETE") return;
          deletions += 1;
          if (performance.now() >= lostAt) late.push(performance.now() - lostAt);
          if (deletions !== 20) return;
          await admin.update("identities", identity, { description: withRecordedOwner("", "another") });
          lostAt = performance.now();
        },
      };
      for (const one of all) await kube().delete(one);
      await expect.poll(() => lostAt, { timeout: 60_000 }).toBeLessThan(Number.POSITIVE_INFINITY);
      await sleep(3_000);
      const left = (await admin.list("groups", root)).filter(({ name }) => name.startsWith("lost-"));
      console.info(
        `${late.length} deletions arrived after the owner id was lost, the last after ${Math.max(0, ...late).toFixed(1)} ms; ${left.length} groups are left`,
      );
      expect(late.length).toBeLessThan(workers);
      // One response of the platform, and what the machine takes.
      expect(Math.max(0, ...late)).toBeLessThan(latencyMs + 1_000);
      expect(left.length).toBeGreaterThan(64 - 20 - workers);
      await system().waitFor(groups("lost", 64).at(-1)!, isUnready("OwnerMismatch"));
      expect(late.length).toBeLessThan(workers);
      await admin.update("identities", identity, { description: own });
      for (const one of all) await system().gone(one);
    });
  },
  { platformFlags: ["--latency", `${latencyMs}ms`] },
);
