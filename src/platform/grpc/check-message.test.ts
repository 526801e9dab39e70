import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import type { Capability } from "../authorization/capability.ts";
import { CreateGroupInviteRequestSchema } from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { CreateIdentityRequestSchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { CreateRoleRequestSchema } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { type CatalogTier, CreateRepoRequestSchema } from "../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { checkMessage } from "./check-message.ts";

const role = (...capabilities: number[]) =>
  create(CreateRoleRequestSchema, { role: { name: "r", capabilities: capabilities as Capability[] } });
const repo = (tier: number) => create(CreateRepoRequestSchema, { repo: { catalogTier: tier as CatalogTier } });
const keys = (seconds: bigint, nanos = 0) =>
  create(CreateIdentityRequestSchema, {
    identity: { relationship: { case: "staticKeys", value: { expirationTime: { seconds, nanos } } } },
  });
const invite = (seconds: bigint, nanos = 0) =>
  create(CreateGroupInviteRequestSchema, { groupInvite: { ttl: { seconds, nanos } } });

it("accepts every value that JSON can represent", () => {
  checkMessage(CreateRoleRequestSchema, role(0, 101));
  // Other platforms know more capabilities. The method decides whether to keep them.
  checkMessage(CreateRoleRequestSchema, role(101, 9_999));
  checkMessage(CreateRoleRequestSchema, create(CreateRoleRequestSchema));
  checkMessage(CreateIdentityRequestSchema, keys(253_402_300_799n, 999_999_999));
  checkMessage(CreateGroupInviteRequestSchema, invite(-60n, -1));
});

it.each([
  ["repo.catalogTier", CreateRepoRequestSchema, repo(99)],
  ["role.capabilities[0]", CreateRoleRequestSchema, role(-1)],
  ["identity.staticKeys.expirationTime", CreateIdentityRequestSchema, keys(2n ** 63n - 1n)],
  ["identity.staticKeys.expirationTime", CreateIdentityRequestSchema, keys(0n, -1)],
  ["groupInvite.ttl", CreateGroupInviteRequestSchema, invite(2n ** 62n)],
  ["groupInvite.ttl", CreateGroupInviteRequestSchema, invite(1n, 2 ** 31 - 1)],
] as const)("rejects %s, which JSON cannot represent", (field, desc, message) => {
  expect(() => checkMessage(desc, message)).toThrow(
    expect.objectContaining({ code: 3, detail: expect.objectContaining({ field }) }),
  );
});
