import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import type { Capability } from "#src/platform/gen/muster/capabilities/capabilities_pb.ts";
import { AccountAssociationSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/account_association_pb.ts";
import { GroupInviteSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { ListGroupsResponseSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentityProviderSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { RoleSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/role_pb.ts";
import { AdvisorySchema } from "#src/platform/gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { readJson } from "./read-json.ts";
import { toJsonObject } from "./write-json.ts";

const strict = { unknownFields: "refuse" } as const;

describe("toJsonObject", () => {
  it("writes zero values and omits unset messages and optional fields", () => {
    expect(toJsonObject(ListGroupsResponseSchema, create(ListGroupsResponseSchema))).toEqual({
      groups: [],
      skipped: 0,
    });
    expect(
      toJsonObject(ListGroupsResponseSchema, create(ListGroupsResponseSchema, { totalCount: 0n, nextPageToken: "t" })),
    ).toEqual({
      groups: [],
      nextPageToken: "t",
      totalCount: "0",
      skipped: 0,
    });
    const advisory = toJsonObject(
      AdvisorySchema,
      create(AdvisorySchema, {
        events: [{ type: { case: "detection", value: { type: { case: "manual", value: {} } } } }],
      }),
    );
    expect(advisory).not.toHaveProperty("deleteTime");
    expect(advisory).not.toHaveProperty("legacyAdvisoryId");
    expect(advisory["events"]).toEqual([
      { uid: "", author: "", reviewer: "", reviewState: "REVIEW_STATE_UNSPECIFIED", detection: { manual: {} } },
    ]);
  });

  it("omits empty secrets and write-only fields", () => {
    const provider = create(IdentityProviderSchema, {
      configuration: { case: "oidc", value: { issuer: "i", clientId: "c", clientSecret: "secret" } },
    });
    expect(JSON.stringify(toJsonObject(IdentityProviderSchema, provider))).not.toContain("ecret");
    const invite = toJsonObject(GroupInviteSchema, create(GroupInviteSchema, { ttl: { seconds: 60n }, code: "c" }));
    expect(invite).not.toHaveProperty("ttl");
    expect(invite).toMatchObject({ code: "c" });
  });

  it("writes enums by name, timestamps with three decimals, and maps as objects", () => {
    const role = create(RoleSchema, {
      capabilities: [103, 999 as Capability],
      createTime: timestampFromMs(1_700_000_000_000),
    });
    expect(toJsonObject(RoleSchema, role)).toMatchObject({
      capabilities: ["CAP_IAM_GROUPS_LIST", 999],
      createTime: "2023-11-14T22:13:20.000Z",
    });
    const github = {
      appInstallations: { "7": { installations: [{ installationId: 9_007_199_254_740_993n, name: "n" }] } },
    };
    expect(toJsonObject(AccountAssociationSchema, create(AccountAssociationSchema, { github }))["github"]).toEqual({
      appInstallations: { "7": { installations: [{ installationId: "9007199254740993", name: "n" }] } },
    });
  });
});

describe("readJson", () => {
  it("writes times as toISOString does", () => {
    const day = 86_400_000;
    const starts = [0, day, -day, Date.UTC(2024, 1, 29), Date.UTC(10_000, 0, 1), Date.UTC(-1, 0, 1), 8.64e15 - day];
    for (const start of starts)
      for (const time of [
        start,
        start + 1,
        start + 999,
        start + 59_999,
        start + 3_599_999,
        start + day - 1,
        start - 1,
      ]) {
        const { createTime } = toJsonObject(RoleSchema, create(RoleSchema, { createTime: timestampFromMs(time) }));
        expect(createTime).toBe(new Date(time).toISOString());
      }
    const invalid = create(RoleSchema, { createTime: { seconds: 2n ** 62n } });
    expect(() => toJsonObject(RoleSchema, invalid)).toThrow(RangeError);
  });

  it("reads what toJsonObject writes", () => {
    const message = create(AccountAssociationSchema, {
      name: "a",
      azure: { tenantId: "t", clientIds: { a: "b" } },
      github: { appInstallations: { "-7": { installations: [{ installationId: -1n }] } } },
    });
    expect(readJson(AccountAssociationSchema, toJsonObject(AccountAssociationSchema, message), strict).message).toEqual(
      message,
    );
  });

  it("returns what is present: nested fields, null and empty strings, but not read-only fields", () => {
    const body = {
      name: "",
      description: null,
      uid: "ignored",
      azure: { tenant_id: "t" },
      google: {},
      amazon: { account: null },
    };
    expect(readJson(AccountAssociationSchema, body, strict).present).toEqual([
      "name",
      "description",
      "azure.tenant_id",
      "amazon.account",
    ]);
  });

  it("keeps the key __proto__", () => {
    const body = JSON.parse('{"azure":{"clientIds":{"__proto__":"x"}}}') as unknown;
    const { message } = readJson(AccountAssociationSchema, body, strict);
    expect(JSON.stringify(toJsonObject(AccountAssociationSchema, message))).toContain('"__proto__":"x"');
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it.each([
    [{ azure: [] }, "azure"],
    [{ azure: { clientIds: { a: 1 } } }, "azure.clientIds.a"],
    [{ github: { appInstallations: { x: {} } } }, "github.appInstallations.x"],
    [
      { github: { appInstallations: { "1": { installations: [{ installationId: "9223372036854775808" }] } } } },
      "github.appInstallations.1.installations[0].installationId",
    ],
    [{ name: "\ud800" }, "name"],
    [null, "body"],
  ])("rejects %j with an error on %s", (body, field) => {
    expect(() => readJson(AccountAssociationSchema, body, strict)).toThrowError(
      expect.objectContaining({ detail: expect.objectContaining({ field }) }),
    );
  });

  it.each([
    ["3600s", 3_600n, 0],
    ["-1.5s", -1n, -500_000_000],
    ["0.000000001s", 0n, 1],
  ])("reads the duration %s", (text, seconds, nanos) => {
    const { message } = readJson(GroupInviteSchema, { ttl: text }, strict);
    expect(message).toMatchObject({ ttl: { seconds, nanos } });
  });

  it.each(["3600", "1h", 60, "s"])("rejects the duration %j", (ttl) => {
    expect(() => readJson(GroupInviteSchema, { ttl }, strict)).toThrowError("ttl: must be a duration");
  });
});
