import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { Capability } from "../authorization/capability.ts";
import { ListGroupsRequestSchema } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { CreateIdentityRequestSchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { CreateRoleRequestSchema } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { hasMoreFields } from "./count-fields.ts";

const times = (count: number, bytes: readonly number[]) =>
  Uint8Array.from(Array.from({ length: count }, () => bytes).flat());

describe("hasMoreFields counts", () => {
  it.each([
    ["empty nested messages", [0x0a, 0], 1],
    ["nested messages with an item of a list each", [0x0a, 4, 0x2a, 2, 0x61, 0x61], 2],
    [
      "unknown fields of each type",
      [0xf8, 1, 1, 0xfa, 1, 1, 0, 0xfd, 1, 0, 0, 0, 0, 0xf9, 1, 0, 0, 0, 0, 0, 0, 0, 0],
      4,
    ],
    ["groups", [0xfb, 1, 0xfc, 1], 2],
  ])("%s", (_, bytes, fields) => {
    const message = times(100, bytes);
    expect(hasMoreFields(ListGroupsRequestSchema, message, fields * 100 - 1)).toBe(true);
    expect(hasMoreFields(ListGroupsRequestSchema, message, fields * 100)).toBe(false);
  });

  it("the entries of a map, with their keys and values", () => {
    const claims = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`claim-${n}`, "value"]));
    const relationship = { case: "claimMatch", value: { claims } } as const;
    const message = create(CreateIdentityRequestSchema, { parent: "p", identity: { relationship } });
    const fields = 3 + 3 * 100;
    expect(hasMoreFields(CreateIdentityRequestSchema, toBinary(CreateIdentityRequestSchema, message), fields - 1)).toBe(
      true,
    );
    expect(hasMoreFields(CreateIdentityRequestSchema, toBinary(CreateIdentityRequestSchema, message), fields)).toBe(
      false,
    );
  });

  it("the items of a packed list", () => {
    const capabilities = Array.from({ length: 100 }, () => Capability.CAP_IAM_GROUPS_LIST);
    const message = toBinary(CreateRoleRequestSchema, create(CreateRoleRequestSchema, { role: { capabilities } }));
    expect(hasMoreFields(CreateRoleRequestSchema, message, 50)).toBe(true);
    expect(hasMoreFields(CreateRoleRequestSchema, message, 1_000)).toBe(false);
  });

  it("fields after one that is not the message that it should be", () => {
    const message = Uint8Array.from([0x0a, 3, 0xff, 0xff, 0xff, ...times(100, [0x0a, 0])]);
    expect(hasMoreFields(ListGroupsRequestSchema, message, 50)).toBe(true);
  });
});
