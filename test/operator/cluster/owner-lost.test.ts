import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { describeWithProxiedSystem } from "#test/support/harness/describe-with-system.ts";
import { isUnready, musterObject } from "#test/support/harness/muster-objects.ts";

const latencyMs = 20;
const workers = 16;

describeWithProxiedSystem(
  "an operator whose owner id is given to another cluster while it deletes",
  (system, proxy) => {
    const kube = () => system().controlPlane.admin;
    const groups = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) =>
        musterObject("Group", "team", `${prefix}-${index}`, { parentUid: system().root }),
      );
    type Groups = ReturnType<typeof groups>;

    async function create(objects: Groups): Promise<void> {
      for (const one of objects) await kube().apply(one);
      for (const one of objects) await system().ready(one);
    }

    async function remove(objects: Groups): Promise<void> {
      await Promise.all(objects.map((one) => kube().delete(one)));
      for (const one of objects) await system().gone(one);
    }

    /** Counts the reads of the operator's identity, and measures how long before each deletion the last one arrived that was answered. */
    function watch() {
      const seen = { reads: 0, deletions: 0, windows: [] as number[] };
      let [arrivedAt, answered] = [0, 0];
      proxy().options = {
        beforeForwarding: ({ method, collection }) => {
          if (method === "GET" && collection === "identities") {
            seen.reads += 1;
            arrivedAt = performance.now();
          }
          if (method !== "DELETE") return;
          seen.deletions += 1;
          seen.windows.push(performance.now() - answered);
        },
        beforeResponding: ({ method, collection }) => {
          if (method === "GET" && collection === "identities") answered = arrivedAt;
        },
      };
      return seen;
    }

    const window = ({ windows }: ReturnType<typeof watch>) => {
      const sorted = windows.toSorted((a, b) => a - b);
      return `${sorted[sorted.length >> 1]?.toFixed(0)} ms, at most ${sorted.at(-1)?.toFixed(0)} ms`;
    };

    beforeAll(async () => {
      const flags = ["--workers", `${workers}`, "--resync", "1h"];
      const operator = await system().startOperator(flags, { platformUrl: proxy().url });
      await operator.process.logged("leading");
    });

    it("reads its identity once for each single deletion, once for many at the same time, and never at rest", async () => {
      const [single, burst] = [groups("single", 5), groups("burst", 48)];
      await create([...single, ...burst]);
      const one = watch();
      await sleep(2_000);
      expect(one.reads).toBe(0);
      for (const object of single) await remove([object]);
      expect(one).toMatchObject({ reads: 5, deletions: 5 });
      const many = watch();
      await remove(burst);
      console.info(`one by one: from the read to the deletion ${window(one)}`);
      console.info(`${many.reads} reads for ${many.deletions} deletions at the same time: ${window(many)}`);
      expect(many.deletions).toBe(48);
      expect(many.reads).toBeLessThan(48);
      // Two seconds after the response at the latest, it is not sent.
      expect(Math.max(...one.windows, ...many.windows)).toBeLessThan(3_000);
    });

    it("deletes nothing more than what is under way, and continues when it has the owner id again", async () => {
      const { admin, identity, root } = system();
      const all = groups("lost", 64);
      await create(all);
      const own = (await admin.get("identities", identity)).description;
      let deletions = 0;
      const lost = Promise.withResolvers<void>();
      proxy().options = {
        // As many deletions as there are workers are under way when the owner id is lost.
        beforeForwarding: async ({ method }) => {
          if (method !== "DELETE") return;
          deletions += 1;
          if (deletions === workers) {
            await admin.update("identities", identity, { description: withRecordedOwner("", "another") });
            lost.resolve();
          }
          await lost.promise;
        },
      };
      await Promise.all(all.map((one) => kube().delete(one)));
      const left = async () => (await admin.list("groups", root)).filter(({ name }) => name.startsWith("lost-"));
      await expect.poll(async () => (await left()).length, { timeout: 30_000 }).toBe(64 - workers);
      const [first] = await left();
      const kept = all.find(({ metadata }) => metadata.name === first?.name);
      if (kept !== undefined) await system().waitFor(kept, isUnready("OwnerMismatch"));
      expect(deletions).toBe(workers);
      expect(await left()).toHaveLength(64 - workers);
      proxy().options = {};
      await admin.update("identities", identity, { description: own });
      for (const one of all) await system().gone(one);
    });
  },
  { platformFlags: ["--latency", `${latencyMs}ms`] },
);
