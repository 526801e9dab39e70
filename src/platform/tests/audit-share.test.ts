import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { hours } from "#src/time/durations.ts";
import { quotaLimits } from "../limits/quota.ts";
import { type Client, RunningPlatform } from "./running-platform.testing.ts";

/** Of audit records in full; half as much again in short form. */
const auditBytes = 40_000;
const quota = {
  resources: quotaLimits.resources.value,
  roleBindingsPerIdentity: quotaLimits.roleBindingsPerIdentity.value,
  auditBytes,
};

describe("the share of a root group in the audit log", () => {
  let platform: RunningPlatform;
  let owner: Client & { identity: string };
  let group: string;
  beforeEach(async () => {
    platform = await RunningPlatform.start({ quota });
    platform.freeze();
    // Not at the end of a day, or of a minute.
    platform.advance(hours(24) - (platform.now % hours(24)));
    owner = await platform.callerWith("owner", platform.root);
    group = (await owner.ok("POST", `/iam/v2beta1/groups/${platform.root}`, { name: "team" })).uid;
  });
  afterEach(() => platform.stop());

  const describeGroup = (description: string, caller: Client = owner, uid = group) =>
    caller.patch(`/iam/v2beta1/groups/${uid}`, { description });
  const records = async (resource: string) =>
    (await platform.admin.ok("GET", `/audit/v1beta1/records?resource=${resource}&page_size=200&order_by=created_at`))
      .records as Record<string, unknown>[];

  /** Updates groups one after the other until their records are in another form, or refused. */
  async function useUp(until: "short" | "refused"): Promise<void> {
    for (let n = 0; n < 2_000; n++) {
      const { uid } = (await owner.ok("POST", `/iam/v2beta1/groups/${platform.root}`, { name: `n${n}` })) as {
        uid: string;
      };
      const { status } = await describeGroup("x".repeat(500), owner, uid);
      if (status !== 200) break;
      if (until === "short" && (await records(uid)).some(({ form }) => form === "short")) return;
      if (n === 1_999) throw new Error("the share is not used up");
      if (
        until === "refused" &&
        (await owner.post(`/iam/v2beta1/groups/${platform.root}`, { name: "o" })).status !== 200
      )
        return;
    }
  }

  it("records names of fields without values above it, and repeats in a minute as one record with a count", async () => {
    await useUp("short");
    for (let n = 0; n < 50; n++) {
      if (n === 25) platform.advance(30_000);
      expect((await describeGroup(`description ${n}`)).status).toBe(200);
    }
    expect((await records(group)).slice(1)).toMatchObject([
      { action: "update", form: "short", changeCount: 50, changes: { description: { omitted: true } } },
    ]);
    platform.advance(30_000);
    await describeGroup("later");
    expect((await records(group)).slice(1)).toMatchObject([{ changeCount: 50 }, { changeCount: 1 }]);
  });

  it("does not merge the changes of two authors, and keeps what decides access", async () => {
    await useUp("short");
    const viewer = await platform.admin.role("viewer");
    const other = await platform.callerWith("owner", platform.root);
    await describeGroup("a");
    await describeGroup("b", other);
    await describeGroup("c");
    expect((await records(group)).slice(1)).toMatchObject([{ changeCount: 1 }, { changeCount: 1 }, { changeCount: 1 }]);
    const { uid } = await owner.ok("POST", `/iam/v2beta1/roleBindings/${group}`, {
      identityUid: other.identity,
      roleUid: viewer,
    });
    expect((await records(uid))[0]).toMatchObject({
      form: "short",
      changes: { identityUid: { new: other.identity }, roleUid: { new: viewer } },
    });
  });

  it("refuses changes when it is used up, says until when, and lets access be taken away", async () => {
    const victim = await platform.callerWith("viewer", group);
    const bindings = (await platform.admin.ok("GET", `/iam/v2beta1/roleBindings?identity=${victim.identity}`))
      .roleBindings;
    const elsewhere = (await platform.admin.ok("POST", "/iam/v2beta1/groups", { name: "elsewhere" })).uid;
    const neighbour = await platform.callerWith("owner", elsewhere);
    await useUp("refused");
    const refused = await describeGroup("more");
    expect([refused.status, refused.body.code]).toEqual([429, 8]);
    const end = new Date((Math.floor(platform.now / hours(24)) + 1) * hours(24)).toISOString();
    expect(refused.body.message).toContain(`further ones are refused until ${end}, except deletions`);
    expect(refused.body.details).toContainEqual({
      "@type": "type.googleapis.com/google.rpc.QuotaFailure",
      violations: [{ subject: platform.root, description: expect.stringContaining("--maximum-audit-bytes") }],
    });
    expect((await owner.ok("GET", `/iam/v2beta1/groups/${group}`)).description).toBe("");

    expect((await owner.post(`/iam/v2beta1/identities/${victim.identity}:revokeTokens`)).status).toBe(200);
    expect((await victim.get(`/iam/v2beta1/groups/${group}`)).status).toBe(401);
    for (const { uid } of bindings) expect((await owner.delete(`/iam/v2beta1/roleBindings/${uid}`)).status).toBe(200);
    expect((await owner.delete(`/iam/v2beta1/identities/${victim.identity}`)).status).toBe(200);
    expect((await records(victim.identity)).map(({ action }) => action)).toEqual(
      expect.arrayContaining(["revokeTokens", "delete"]),
    );
    // Others, and the admin, are not concerned.
    expect((await describeGroup("theirs", neighbour, elsewhere)).status).toBe(200);
    expect((await describeGroup("by the admin", platform.admin)).status).toBe(200);
    expect((await records(group)).at(-1)).toMatchObject({ form: "full" });
    await vi.waitFor(async () => {
      const { records: refusals } = await platform.admin.ok("GET", "/audit/v1beta1/records?code=8");
      expect(refusals).toContainEqual(expect.objectContaining({ action: "refuse", form: "event" }));
    });

    if (inject("backend") === "postgres") {
      const addresses = { baseUrl: platform.url, authUrl: platform.url };
      const replica = await RunningPlatform.start({ quota, ...addresses }, { replicaOf: platform });
      replica.freeze();
      replica.advance(platform.now - replica.now);
      expect((await describeGroup("more", replica.as(owner.token))).status).toBe(429);
      await replica.stop();
    }
    platform.advance(hours(24));
    const again = await platform.callerWith("owner", platform.root);
    expect((await describeGroup("the next day", again)).status).toBe(200);
    expect((await records(group)).at(-1)).toMatchObject({ form: "full" });
  });

  it("has a reserve for revocations, and merges those that repeat", async () => {
    const victim = await platform.callerWith("viewer", group);
    await useUp("refused");
    const revoke = () => owner.post(`/iam/v2beta1/identities/${victim.identity}:revokeTokens`);
    for (let n = 0; n < 100; n++) expect((await revoke()).status).toBe(200);
    expect((await records(victim.identity)).at(-1)).toMatchObject({ action: "revokeTokens", changeCount: 100 });
  });
});
