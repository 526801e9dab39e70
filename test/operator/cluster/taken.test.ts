import { expect, it } from "vitest";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { describeWithProxiedSystem } from "#test/support/harness/describe-with-system.ts";
import { isUnready, musterObject } from "#test/support/harness/muster-objects.ts";

const count = 40;

describeWithProxiedSystem("resources that somebody takes after the last list", (system, proxy) => {
  const identity = (number: number): KubeObject =>
    musterObject("Identity", "team", `robot-${number}`, {
      groupUid: system().root,
      claimMatch: { issuer: "https://token.actions.githubusercontent.com", subject: `repo:example/app:ref:${number}` },
    });
  const edit = (object: KubeObject, description: string) =>
    system().controlPlane.admin.patch(object, { spec: { description } });
  const isAt = (generation: number | undefined) => (object: KubeObject | undefined) =>
    object?.["status"]?.observedGeneration === generation;

  it("stay as they are when their objects are edited or deleted, alone or with many others", async () => {
    const { controlPlane, admin } = system();
    const operator = await system().startOperator(["--resync", "1h"], { platformUrl: proxy().url });
    await operator.process.logged("leading");
    const objects = Array.from({ length: count }, (_, number) => identity(number));
    for (const object of objects) await controlPlane.admin.apply(object);
    const uids: string[] = [];
    for (const object of objects) uids.push((await system().ready(object))["status"].uid);
    const foreign = (number: number) =>
      withMarker("theirs", markerOf(ownerHash("another"), objectHash("Identity", "team", `robot-${number}`)));
    const take = (number: number) => admin.update("identities", uids[number] ?? "", { description: foreign(number) });
    const description = async (number: number) => (await admin.get("identities", uids[number] ?? "")).description;

    await take(0);
    await edit(identity(0), "edited");
    await system().waitFor(identity(0), isUnready("Conflict"));
    await take(1);
    await controlPlane.admin.delete(identity(1));
    await system().waitFor(identity(1), (object) => object === undefined);
    expect([await description(0), await description(1)]).toEqual([foreign(0), foreign(1)]);

    const calls: string[] = [];
    proxy().options = { beforeForwarding: ({ method }) => void calls.push(method) };
    for (const number of [10, 20, 30]) await take(number);
    const others = objects.slice(2);
    for (const object of others) await controlPlane.admin.delete(object);
    for (const object of others) await system().waitFor(object, (one) => one === undefined);
    const left = (await admin.list("identities")).map(({ uid }) => uid).filter((uid) => uids.includes(uid));
    expect(new Set(left)).toEqual(new Set([0, 1, 10, 20, 30].map((number) => uids[number])));
    const reads = calls.filter((method) => method === "GET").length;
    console.info(`${reads} reads for ${calls.filter((method) => method === "DELETE").length} deletions`);
    await operator.process.stop();
  });

  it("can be taken only in the milliseconds between a read and its write", async () => {
    const { controlPlane } = system();
    const operator = await system().startOperator(["--resync", "1h"], { platformUrl: proxy().url });
    await operator.process.logged("leading");
    const objects = Array.from({ length: count }, (_, number) => identity(100 + number));
    for (const object of objects) await controlPlane.admin.apply(object);
    for (const object of objects) await system().ready(object);
    let readAt: number | undefined;
    const windows: Record<string, number[]> = { PATCH: [], DELETE: [] };
    proxy().options = {
      beforeForwarding: ({ method, collection }) => {
        if (collection !== "identities") return;
        if (method === "GET") readAt = performance.now();
        else if (readAt !== undefined) windows[method]?.push(performance.now() - readAt);
      },
    };
    for (const object of objects) {
      const { metadata } = await edit(object, "edited");
      await system().waitFor(object, isAt(metadata.generation));
    }
    for (const object of objects) {
      await controlPlane.admin.delete(object);
      await system().waitFor(object, (one) => one === undefined);
    }
    for (const [method, all] of Object.entries(windows)) {
      expect(all).toHaveLength(count);
      console.info(
        `${method}: ${percentile(all, 0.5).toFixed(1)} ms, p99 ${percentile(all, 0.99).toFixed(1)} ms after its read`,
      );
    }
    await operator.process.stop();
  });
});
