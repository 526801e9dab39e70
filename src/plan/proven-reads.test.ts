import { describe, expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import type { ResourceType } from "#src/platform-client/collection.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import { roleBindings } from "#src/platform-client/permission-resources.ts";
import { ProvenReads } from "./proven-reads.ts";

const shop = `${"a".repeat(40)}/00000000000000a1`;
const ci = `${shop}/00000000000000b1`;
const collections = kinds.map(({ collection }) => collection);
const identities = collections.find(({ name }) => name === "identities") as ResourceType;
const below = (group: string) => ({ scope: { descendantsOf: group } });

/** The platform for an administrator, whom it refuses the calls of some types. */
function refusing(code: "PERMISSION_DENIED" | "NOT_FOUND", refused: readonly string[]): ProvenReads {
  const error = { code, message: "", reason: "", domain: "", fieldViolations: [], preconditionViolations: [] };
  const call = async (type: ResourceType) => {
    if (refused.includes(type.name)) throw new PlatformFailure("call", { kind: "rejected", error });
    return { resources: [], totalCount: 0 };
  };
  const reads = { list: call, get: call } as unknown as ReadApi;
  const { signal } = new AbortController();
  return new ProvenReads({ reads, caller: "administrator", collections, signal });
}

describe("what the platform refuses to show", () => {
  it("is not proven, and the reconciler sees the refusal, whoever asks", async () => {
    const reads = refusing("PERMISSION_DENIED", ["roleBindings", "identities"]);
    await expect(reads.list(roleBindings, below(shop))).rejects.toThrow("PERMISSION_DENIED");
    await expect(reads.get(identities, ci)).rejects.toThrow("PERMISSION_DENIED");
    expect(reads.unproven).toEqual([
      { capability: "CAP_IAM_ROLE_BINDINGS_LIST", group: shop },
      { capability: "CAP_IAM_IDENTITY_LIST", group: shop },
    ]);
    expect(reads.failure).toBeUndefined();
  });

  it("is a failure of the plan if it is in no group", async () => {
    const reads = refusing("PERMISSION_DENIED", ["roleBindings"]);
    await expect(reads.list(roleBindings, { filter: { identity: ci } })).rejects.toThrow("PERMISSION_DENIED");
    expect(reads.failure).toBeInstanceOf(PlatformFailure);
  });
});
