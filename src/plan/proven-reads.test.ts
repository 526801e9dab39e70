import { describe, expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import { isInScope, type ListQuery, type ReadApi } from "#src/platform-client/api.ts";
import type { ResourceType } from "#src/platform-client/collection.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import { roleBindings } from "#src/platform-client/permission-resources.ts";
import { ProvenReads } from "./proven-reads.ts";

const { signal } = new AbortController();
const root = "a".repeat(40);
const shop = `${root}/00000000000000a1`;
const ci = `${shop}/00000000000000b1`;
const collections = kinds.map(({ collection }) => collection);
const identities = collections.find(({ name }) => name === "identities") as ResourceType;
const childOf = (group: string) => ({ scope: { childrenOf: group } });
const below = (group: string) => ({ scope: { descendantsOf: group } });

/** The platform for an administrator, whom it refuses the calls of some types. */
function refusing(code: "PERMISSION_DENIED" | "NOT_FOUND", refused: readonly string[]): ProvenReads {
  const error = { code, message: "", reason: "", domain: "", fieldViolations: [], preconditionViolations: [] };
  const call = async (type: ResourceType) => {
    if (refused.includes(type.name)) throw new PlatformFailure("call", { kind: "rejected", error });
    return { resources: [], totalCount: 0 };
  };
  const reads = { list: call, get: call } as unknown as ReadApi;
  return new ProvenReads({ reads, caller: "administrator", collections, roots: [], signal });
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

describe("what is read piece by piece", () => {
  const uidOf = (number: number) => `${root}/${number.toString(16).padStart(16, "0")}`;

  /** So many identities, each in a group of its own below the root, and the calls of the platform. */
  function counting(count: number, caller: "administrator" | undefined) {
    const calls: string[] = [];
    const all = Array.from({ length: count }, (_, index) => ({ uid: `${uidOf(index)}/${"b".repeat(16)}`, name: "ci" }));
    const list = async (type: ResourceType, { scope }: ListQuery) => {
      calls.push(`list ${JSON.stringify(scope)}`);
      const resources = all.filter(({ uid }) => isInScope(type, uid, scope)).map((one) => type.schema.parse(one));
      return { resources, totalCount: resources.length };
    };
    const get = async (type: ResourceType, uid: string) => {
      calls.push(`get ${uid}`);
      return type.schema.parse(all.find((one) => one.uid === uid));
    };
    const reads = { list, get } as unknown as ReadApi;
    return { all, calls, reads: new ProvenReads({ reads, caller, collections, roots: [root], signal }) };
  }

  it.each(["get", "list"] as const)("is listed together once it is much: %s", async (call) => {
    const { all, calls, reads } = counting(40, "administrator");
    for (const { uid } of all) {
      if (call === "get") expect((await reads.get(identities, uid)).uid).toBe(uid);
      else expect(await reads.list(identities, childOf(uid.slice(0, -17)))).toMatchObject([{ uid }]);
    }
    expect(calls).toHaveLength(9);
    expect(calls.at(-1)).toBe(`list {"descendantsOf":"${root}"}`);
    await expect(reads.get(identities, `${uidOf(50)}/${"b".repeat(16)}`)).rejects.toThrow("NOT_FOUND");
  });

  it("stays so for somebody to whom the list would prove nothing", async () => {
    const { all, calls, reads } = counting(40, undefined);
    for (const { uid } of all) await reads.get(identities, uid);
    expect(calls).toEqual(all.map(({ uid }) => `get ${uid}`));
  });
});
