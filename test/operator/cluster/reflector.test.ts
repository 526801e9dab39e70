import { expect, it, onTestFinished } from "vitest";
import { statusBounds } from "#src/api/status.ts";
import { KubeClient } from "#src/kube/client.ts";
import type { KubeObject, ObjectMeta } from "#src/kube/object.ts";
import { Reflector, type ReflectorReport } from "#src/kube/reflector.ts";
import { Store } from "#src/kube/store.ts";
import { systemClock } from "#src/time/clock.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";

/** A Namespace as a cache of labels needs it: nothing else is kept. */
interface LabelledNamespace {
  readonly metadata: Pick<ObjectMeta, "name" | "uid" | "resourceVersion" | "labels" | "deletionTimestamp">;
}

const count = 1_000;
const resource = { group: "", version: "v1", plural: "namespaces", kind: "Namespace" };

function parse({ metadata }: KubeObject): LabelledNamespace {
  const { name, uid, resourceVersion, labels, deletionTimestamp } = metadata;
  return {
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(labels === undefined ? {} : { labels }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
  };
}

describeWithControlPlane("a reflector of a cluster-scoped resource", (controlPlane) => {
  it(`keeps the labels of ${count} namespaces, and nothing else, up to date`, async () => {
    const { admin, url, ca, adminToken } = controlPlane();
    const namespaceOf = (number: number, labels: object = {}) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: `team-${number}`,
        labels: { team: String(number), ...labels },
        annotations: { note: "dropped" },
      },
    });
    for (let first = 0; first < count; first += 20)
      await Promise.all(Array.from({ length: 20 }, (_, index) => admin.create(namespaceOf(first + index))));

    const server = new URL(url);
    const client = new KubeClient({
      connection: { server, ca, token: () => Promise.resolve(adminToken) },
      clock: systemClock,
    });
    const store = new Store<LabelledNamespace, "team">({
      parse,
      indexes: { team: ({ metadata: { labels } }) => (labels?.["team"] === undefined ? [] : [labels["team"]]) },
    });
    const reports: ReflectorReport[] = [];
    const abort = new AbortController();
    onTestFinished(async () => {
      abort.abort(new Error("the test is over"));
      await client.close();
    });
    const listed = Promise.withResolvers<void>();
    const reflector = new Reflector({
      api: client,
      resource,
      store,
      clock: systemClock,
      random: Math.random,
      report: (report) => {
        reports.push(report);
        if (report.type === "listed") listed.resolve();
      },
    });
    void reflector.run(abort.signal);
    await listed.promise;
    expect(reports).toMatchObject([{ type: "listed" }]);
    expect(store.synced).toBe(true);
    expect(store.index("team", "17")).toMatchObject([{ metadata: { name: "team-17" } }]);
    expect(Object.keys(store.get("team-17")?.metadata ?? {}).toSorted()).toEqual([
      "labels",
      "name",
      "resourceVersion",
      "uid",
    ]);
    const bytes = JSON.stringify([...store.values()]).length;
    expect(bytes / store.size).toBeLessThan(250);

    const changed = new Promise<void>((resolve) => {
      store.onChange((_, after) => {
        if (after?.metadata.labels?.["stage"] === "live") resolve();
      });
    });
    await admin.apply(namespaceOf(17, { stage: "live" }));
    await changed;
    const gone = new Promise<void>((resolve) => {
      store.onChange((before, after) => {
        if (before?.metadata.name === "team-18" && after === undefined) resolve();
      });
    });
    await admin.delete(namespaceOf(18));
    await gone;
    expect(store.index("team", "18")).toEqual([]);
  });

  it("the API server replaces half a surrogate pair, as boundedText assumes", async () => {
    const { admin } = controlPlane();
    const configMap = (text: string) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { generateName: "text-", namespace: "default" },
      data: { text },
    });
    const path = "/api/v1/namespaces/default/configmaps";
    const stored = async (text: string) =>
      (await admin.request("POST", path, { body: configMap(text) }))["data"].text as string;
    const emoji = "😀".repeat(statusBounds.text / 2);
    expect(await stored(emoji)).toBe(emoji);
    expect(await stored("a\ud83d")).toBe("a\ufffd");
  });
});
