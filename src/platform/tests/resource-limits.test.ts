import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quotaLimits } from "../limits/quota.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start({
    quota: { resources: 12, roleBindingsPerIdentity: 3, auditBytes: quotaLimits.auditBytes.value },
  });
});
afterAll(() => platform.stop());

const path = (uid: string) => `/iam/v2beta1/groups/${uid}`;
/** The error for a limit of a group or an identity. */
const exceeded = (subject: string, limit: string) => ({
  status: 429,
  body: {
    code: 8,
    message: expect.stringContaining(limit),
    details: [
      { reason: "RESOURCE_EXHAUSTED" },
      {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [{ subject, description: expect.stringContaining(limit) }],
      },
    ],
  },
});

/** A root group with limits. */
const makeRoot = async (resourceLimits: Record<string, number>): Promise<string> =>
  (await platform.admin.ok("POST", "/iam/v2beta1/groups/", { name: "root", resourceLimits })).uid;

describe("resourceLimits", () => {
  it("limit all resources below a root group by default, and its own limit takes the place of the default", async () => {
    const root = await makeRoot({});
    for (let n = 0; n < 12; n++) await platform.admin.group(root);
    const more = () => platform.admin.post(path(root), { name: "one more" });
    expect(await more()).toMatchObject(exceeded(root, "12 resources below it (resourceLimits.resources)"));
    await platform.admin.ok("PATCH", path(root), { resourceLimits: { resources: 13 } });
    expect((await more()).status).toBe(200);
    expect(await more()).toMatchObject(exceeded(root, "13 resources"));
  });

  it("limit the role bindings of an identity, on create and when a binding moves to it", async () => {
    const root = await makeRoot({});
    const [one, other] = [await platform.admin.identity(root), await platform.admin.identity(root)];
    const role = await platform.admin.role("viewer");
    const bindings = [];
    for (let n = 0; n < 3; n++) bindings.push(await platform.admin.bind(root, one, role));
    const bind = (identityUid: string) =>
      platform.admin.post(`/iam/v2beta1/roleBindings/${root}`, { identityUid, roleUid: role });
    expect(await bind(one)).toMatchObject(exceeded(one, "3 role bindings"));
    const moving = await platform.admin.bind(root, other, role);
    const move = (uid: string, identityUid: string) =>
      platform.admin.patch(`/iam/v2beta1/roleBindings/${uid}`, { identityUid });
    expect(await move(moving, one)).toMatchObject(exceeded(one, "3 role bindings"));
    expect((await move(bindings[0] ?? "", other)).status).toBe(200);
    expect((await bind(one)).status).toBe(200);
    await platform.admin.ok("PATCH", path(root), { resourceLimits: { roleBindingsPerIdentity: 4 } });
    expect((await bind(one)).status).toBe(200);
    expect(await bind(one)).toMatchObject(exceeded(one, "4 role bindings"));
  });
});
