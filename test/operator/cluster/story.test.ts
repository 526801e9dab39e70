import { afterAll, expect, it, vi } from "vitest";
import { collectionOf, differencesFromPlatform, hasMarker, withoutMarker } from "#test/support/harness/comparison.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { examples } from "#test/support/harness/examples.ts";
import { kindRef, type MusterKind, musterKinds, musterObject, ref } from "#test/support/harness/muster-objects.ts";
import { leakedIn } from "#test/support/harness/secrets.ts";
import { TraceCollector } from "#test/support/harness/trace-collector.ts";

const collector = await TraceCollector.start();
const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "200" };

describeWithSystem(
  "the life of the examples",
  (system, operator) => {
    const kube = () => system().controlPlane.admin;
    const patch = (kind: MusterKind, name: string, spec: object) => kube().patch(ref(kind, "shop", name), { spec });
    const externalOf = async (kind: MusterKind, name: string) => {
      const object = await system().ready(ref(kind, "shop", name));
      return system().admin.get(collectionOf[kind], object["status"].uid);
    };

    afterAll(() => collector.stop());

    it("objects that are applied in reverse order become Ready", async () => {
      const objects = await examples(system().root);
      for (const object of objects.toReversed()) await kube().apply(object);
      for (const object of objects) await system().ready(object);
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("an applied object is one trace, from the watch event to the response of the platform", async () => {
      const group = musterObject("Group", "shop", "traced", { parentUid: system().root });
      await kube().apply(group);
      await system().ready(group);
      const isOfObject = (name: string) =>
        collector.spans.find((span) => span.name === name && span.attributes["muster.key"] === "shop/traced");
      const created = () =>
        collector.traceOf(isOfObject("reconcile group")).find(({ name }) => name.endsWith("/CreateGroup"));
      const isWhole = () => {
        const found = created();
        return found === undefined || collector.pathTo(found)[0]?.parentSpanId ? undefined : found;
      };
      const server = await vi.waitUntil(isWhole, { timeout: 10_000, interval: 100 });
      // Each span is below the one before it.
      const path = collector.pathTo(server).map(({ name, service }) => `${service}: ${name}`);
      expect(path).toEqual([
        "muster-operator: watch groups",
        "muster-operator: reconcile group",
        "muster-operator: perform create",
        "muster-operator: platform create groups",
        "muster-platform: muster.platform.iam.v2beta1.GroupsService/CreateGroup",
      ]);
      const trace = collector.traceOf(server);
      const steps = trace.filter(({ name }) => name === "decide").map(({ attributes }) => attributes["muster.step"]);
      expect(steps).toContain("create");
      expect(steps.at(-1)).toBe("done");
      expect(trace.map(({ attributes }) => attributes["muster.check"])).toContain("ready");
      const [watch] = collector.pathTo(server);
      const queued = trace.find(({ name }) => name === "queue group");
      expect(queued?.parentSpanId).toBe(watch?.spanId);
      expect(trace.map(({ name }) => name)).toContain("kubernetes patch groups/status");
      expect(server.attributes).toMatchObject({ "rpc.grpc.status_code": 0 });
      expect(leakedIn(system(), JSON.stringify(collector.spans))).toBe(false);
      await kube().delete(group);
      await system().gone(group);
    });

    it("a collector that fails, and one that is away, delay nothing", async () => {
      collector.failing = true;
      const group = musterObject("Group", "shop", "untraced", { parentUid: system().root });
      await kube().apply(group);
      await system().ready(group, 5_000);
      await operator().process.logged("traces were not sent");
      await collector.stop();
      await kube().delete(group);
      await system().gone(group, 5_000);
    });

    it("the status has the uid of the platform resource, whose description has the marker", async () => {
      const group = await system().ready(ref("Group", "shop", "checkout"));
      const parent = await system().ready(ref("Group", "shop", "shop"));
      expect(group["status"]).toMatchObject({ parentUid: parent["status"].uid, observedGeneration: 1 });
      const resource = await system().admin.get("groups", group["status"].uid);
      expect(hasMarker(resource.description)).toBe(true);
      expect(withoutMarker(resource.description)).toBe("Carts, orders and payments");
    });

    it("renames the group when spec.name changes", async () => {
      await patch("Group", "checkout", { name: "till" });
      expect((await externalOf("Group", "checkout")).name).toBe("till");
      await patch("Group", "checkout", { name: null });
      expect((await externalOf("Group", "checkout")).name).toBe("checkout");
    });

    it("sets, changes and clears a description, and keeps it when the spec has none", async () => {
      const described = async (kind: MusterKind, name: string, description: string | null) => {
        await patch(kind, name, { description });
        const resource = await externalOf(kind, name);
        expect(hasMarker(resource.description)).toBe(true);
        return withoutMarker(resource.description);
      };
      const objects: [MusterKind, string][] = [
        ["Group", "checkout-production"],
        ["Identity", "checkout"],
      ];
      for (const [kind, name] of objects) {
        expect(await described(kind, name, "First")).toBe("First");
        expect(await described(kind, name, "Second")).toBe("Second");
        expect(await described(kind, name, "")).toBe("");
        expect(await described(kind, name, "Third")).toBe("Third");
        expect(await described(kind, name, null)).toBe("Third");
      }
    });

    it("applies every field of a claimMatch", async () => {
      const claimMatch = {
        issuer: "https://token.actions.githubusercontent.com",
        subject: null,
        subjectPattern: "repo:example/shop:.*",
        claims: { ref: "refs/heads/main" },
      };
      await patch("Identity", "builds", { claimMatch });
      expect((await externalOf("Identity", "builds"))["claimMatch"]).toMatchObject({
        subjectPattern: "repo:example/shop:.*",
        claims: { ref: "refs/heads/main" },
      });
      await patch("Identity", "builds", {
        claimMatch: { subjectPattern: null, claims: null, subject: "repo:example/shop:ref:refs/heads/main" },
      });
      const match = (await externalOf("Identity", "builds"))["claimMatch"];
      expect(match.subject).toBe("repo:example/shop:ref:refs/heads/main");
      expect(match.subjectPattern ?? "").toBe("");
      expect(match.claims ?? {}).toEqual({});
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("SIGTERM ends the leader with exit code 0 within 10 s, and another operator takes over at once", async () => {
      const next = await system().startOperator();
      await next.process.logged("caches synced");
      const first = operator().process;
      const before = performance.now();
      await first.stop();
      expect(first.exitCode).toBe(0);
      expect(performance.now() - before).toBeLessThan(10_000);
      const { acquired } = await next.process.logged("leading");
      expect(acquired).toBe("released");
      // A Lease that must expire takes 15 s.
      expect(performance.now() - before).toBeLessThan(12_000);
      await patch("Group", "shop", { description: "Under new leadership" });
      expect(withoutMarker((await externalOf("Group", "shop")).description)).toBe("Under new leadership");
    });

    it("deletes all objects in the order of their references, without a rejected call", async () => {
      const objects = await examples(system().root);
      const bindings = await system().admin.list("roleBindings");
      const successor = system().operators.at(-1);
      const from = successor?.log.length ?? 0;
      await Promise.all(musterKinds.map((kind) => kube().deleteAll(kindRef(kind), "shop")));
      for (const object of objects) await system().gone(object);
      expect(await differencesFromPlatform(system())).toEqual([]);

      const lines = () => successor?.log.slice(from) ?? [];
      const deletions = () => lines().flatMap(({ step, uid }) => (step === "delete" ? [String(uid)] : []));
      // The last line can still be in the pipe.
      await vi.waitFor(() => expect(deletions()).toHaveLength(objects.length));
      expect(lines().filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
      const deleted = deletions();
      for (const [index, uid] of deleted.entries()) {
        const dependsOn = bindings.find((binding) => binding.uid === uid)?.["identity"]?.uid;
        const tooEarly = deleted.slice(0, index).filter((one) => uid.startsWith(`${one}/`) || one === dependsOn);
        expect(tooEarly).toEqual([]);
      }
    });
  },
  { namespaces: ["shop"], run: () => ({ env }), operatorFlags: ["--resync", "2s"] },
);
