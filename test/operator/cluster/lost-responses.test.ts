import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { describeWithProxiedSystem } from "#test/support/harness/describe-with-system.ts";
import type { Fault } from "#test/support/harness/fault-proxy.ts";
import { kindRef, musterKinds, ref } from "#test/support/harness/muster-objects.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { tree } from "./tree.ts";

/** What is forwarded so late lands before the operator believes that it never will: 3 s + 4 s after it was sent. */
const flags = ["--platform-timeout", "3s", "--settle-time", "4s", "--resync", "2s"];
const notSent: Fault = { is: "not sent" };
const lost: Fault = { is: "applied and lost" };
const late: Fault = { is: "applied later", afterMs: 5_000 };
const brokenOff: Fault = { is: "broken off" };
const page: Fault = {
  is: "answered instead",
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<html><body>Please sign in to the network</body></html>",
};
const unavailable: Fault = {
  is: "answered instead",
  status: 503,
  headers: { "retry-after": "1" },
  body: "no healthy upstream",
};
const tooMany: Fault = {
  is: "answered instead",
  status: 429,
  headers: { "retry-after": "1", "content-type": "application/json" },
  body: JSON.stringify({ code: 8, message: "Too many requests", details: [] }),
};

/** What goes wrong, by `METHOD collection number`. */
const faults: Readonly<Record<string, Fault>> = {
  "POST groups 1": notSent,
  "POST groups 2": lost,
  "POST groups 3": late,
  "POST groups 4": page,
  "POST groups 6": brokenOff,
  "POST groups 8": tooMany,
  "POST identities 1": late,
  "POST identities 2": lost,
  "POST identities 3": unavailable,
  "POST identities 4": notSent,
  "POST identities 5": lost,
  "POST roleBindings 1": lost,
  "POST roleBindings 2": late,
  "POST roleBindings 3": notSent,
  "POST roleBindings 4": brokenOff,
  "POST roleBindings 5": lost,
  "PATCH groups 1": lost,
  "PATCH groups 2": late,
  "PATCH identities 1": notSent,
  "PATCH identities 2": page,
  "DELETE roleBindings 1": lost,
  "DELETE roleBindings 2": late,
  "DELETE identities 1": brokenOff,
  "DELETE groups 1": notSent,
  "DELETE groups 3": lost,
};

describeWithProxiedSystem("answers of the platform that are lost, late or not its own", (system, proxy) => {
  const kube = () => system().controlPlane.admin;
  const objects = () => tree(system().root, "team");
  let operator: Operator;

  beforeAll(async () => {
    proxy().options = { faultFor: ({ method, collection, number }) => faults[`${method} ${collection} ${number}`] };
    operator = await system().startOperator(flags, { platformUrl: proxy().url });
  });
  afterAll(() => operator?.process.stop());

  const edit = async (description: string) => {
    for (const { kind, metadata } of objects())
      if (kind !== "RoleBinding")
        await kube().patch(ref(kind as "Group", "team", metadata.name), { spec: { description } });
    for (const object of objects()) await system().ready(object, 60_000);
  };

  it("double nothing and lose nothing when it is made", async () => {
    for (const object of objects()) await kube().apply(object);
    for (const object of objects()) await system().ready(object, 90_000);
    await proxy().settled();
    expect(await differencesFromPlatform(system())).toEqual([]);
  });

  it("keep no edit from being followed, nor bring an older one back", async () => {
    await edit("Edited");
    await edit("Edited again");
    await proxy().settled();
    // What came late is drift, and mended as such; nothing tells of it but the platform.
    await vi.waitFor(async () => expect(await differencesFromPlatform(system())).toEqual([]), {
      timeout: 20_000,
      interval: 250,
    });
  });

  it("leave nothing behind when it is deleted", async () => {
    await Promise.all(musterKinds.map((kind) => kube().deleteAll(kindRef(kind), "team")));
    for (const object of objects()) await system().gone(object, 60_000);
    await proxy().settled();
    expect(await differencesFromPlatform(system())).toEqual([]);
  });

  it("were lost at all of the moments", () => {
    const happened = proxy().injected.map(({ call }) => `${call.method} ${call.collection} ${call.number}`);
    expect(happened.toSorted()).toEqual(Object.keys(faults).toSorted());
  });
});
