import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { describeWithProxiedSystem } from "#test/support/harness/describe-with-system.ts";
import type { Fault } from "#test/support/harness/fault-proxy.ts";
import { kindRef, musterKinds, ref } from "#test/support/harness/muster-objects.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { tree } from "./tree.ts";

/** A late request arrives before the operator treats it as lost, which is 3 s + 4 s after it was sent. */
const flags = ["--platform-timeout", "3s", "--settle-time", "4s", "--resync", "2s"];
const notSent: Fault = { is: "not sent" };
const lost: Fault = { is: "response lost" };
const late: Fault = { is: "forwarded late", afterMs: 5_000 };
const truncated: Fault = { is: "response truncated" };
const loginPage: Fault = {
  is: "response replaced",
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<html><body>Please sign in to the network</body></html>",
};
const unavailable: Fault = {
  is: "response replaced",
  status: 503,
  headers: { "retry-after": "1" },
  body: "no healthy upstream",
};
const tooMany: Fault = {
  is: "response replaced",
  status: 429,
  headers: { "retry-after": "1", "content-type": "application/json" },
  body: JSON.stringify({ code: 8, message: "Too many requests", details: [] }),
};

/** The faults by `METHOD collection number`. */
const faults: Readonly<Record<string, Fault>> = {
  "POST groups 1": notSent,
  "POST groups 2": lost,
  "POST groups 3": late,
  "POST groups 4": loginPage,
  "POST groups 6": truncated,
  "POST groups 8": tooMany,
  "POST identities 1": late,
  "POST identities 2": lost,
  "POST identities 3": unavailable,
  "POST identities 4": notSent,
  "POST identities 5": lost,
  "POST roleBindings 1": lost,
  "POST roleBindings 2": late,
  "POST roleBindings 3": notSent,
  "POST roleBindings 4": truncated,
  "POST roleBindings 5": lost,
  "PATCH groups 1": lost,
  "PATCH groups 2": late,
  "PATCH identities 1": notSent,
  "PATCH identities 2": loginPage,
  "DELETE roleBindings 1": lost,
  "DELETE roleBindings 2": late,
  "DELETE identities 1": truncated,
  "DELETE groups 1": notSent,
  "DELETE groups 3": lost,
};

describeWithProxiedSystem("lost, late, truncated and foreign responses", (system, proxy) => {
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

  it("every resource is created exactly once", async () => {
    for (const object of objects()) await kube().apply(object);
    for (const object of objects()) await system().ready(object, 90_000);
    await proxy().settled();
    expect(await differencesFromPlatform(system())).toEqual([]);
  });

  it("every edit is applied, and no older edit returns", async () => {
    await edit("Edited");
    await edit("Edited again");
    await proxy().settled();
    // A late request is drift until a resync corrects it. Only the platform shows when it is corrected.
    await vi.waitFor(async () => expect(await differencesFromPlatform(system())).toEqual([]), {
      timeout: 20_000,
      interval: 250,
    });
  });

  it("every resource is deleted", async () => {
    await Promise.all(musterKinds.map((kind) => kube().deleteAll(kindRef(kind), "team")));
    for (const object of objects()) await system().gone(object, 60_000);
    await proxy().settled();
    expect(await differencesFromPlatform(system())).toEqual([]);
  });

  it("every fault was injected", () => {
    const happened = proxy().injected.map(({ call }) => `${call.method} ${call.collection} ${call.number}`);
    expect(happened.toSorted()).toEqual(Object.keys(faults).toSorted());
  });
});
