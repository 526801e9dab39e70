import { describe, expect, it } from "vitest";
import {
  type ClaimedIdentity,
  ensureOperatorIdentity,
  type GroupIdentities,
  type OperatorIdentity,
} from "./operator-identity.ts";

const group = "a".repeat(40);
const claimMatch = {
  issuer: "https://issuer.example",
  subject: "system:serviceaccount:muster-system:muster-operator",
  audience: "muster",
};
const moved = { ...claimMatch, issuer: "https://rebuilt.example" };
const wanted: OperatorIdentity = { name: "muster", claimMatch, owner: "cluster", takeOver: false };
const own: ClaimedIdentity = { uid: `${group}/01`, name: "muster", claimMatch, description: "[muster-owner:cluster]" };

/** Identities in memory. */
class Identities implements GroupIdentities {
  readonly all: ClaimedIdentity[];

  constructor(...all: readonly ClaimedIdentity[]) {
    this.all = structuredClone([...all]);
  }

  async list(): Promise<readonly ClaimedIdentity[]> {
    return [...this.all];
  }

  async create(body: object): Promise<ClaimedIdentity> {
    const created = { name: "", description: "", ...body, uid: `${group}/${this.all.length + 10}` };
    this.all.push(created);
    return created;
  }

  async update(uid: string, body: object): Promise<ClaimedIdentity> {
    const index = this.all.findIndex((one) => one.uid === uid);
    const updated = { name: "", description: "", ...this.all[index], uid, ...body };
    this.all[index] = updated;
    return updated;
  }
}

const ensure = (identities: Identities, options: Partial<OperatorIdentity> = {}) =>
  ensureOperatorIdentity(identities, { ...wanted, ...options });

describe("the operator's identity", () => {
  it("is created once, and records the owner", async () => {
    const identities = new Identities();
    const created = await ensure(identities);
    expect(created).toMatchObject({ name: "muster", claimMatch, description: "[muster-owner:cluster]" });
    expect(await ensure(identities)).toEqual(created);
    expect(identities.all).toHaveLength(1);
  });

  it("of another issuer is refused, with both issuers and what to do", async () => {
    const identities = new Identities(own);
    await expect(ensure(identities, { claimMatch: moved })).rejects.toThrow(
      /--owner-id: .*cluster.*https:\/\/issuer.example.*--take-over/,
    );
    expect(identities.all).toEqual([own]);
  });

  it("is changed to another issuer if it is to take over, and keeps its uid", async () => {
    const identities = new Identities(own);
    expect(await ensure(identities, { claimMatch: moved, takeOver: true })).toMatchObject({ uid: own.uid });
    expect(identities.all).toEqual([{ ...own, claimMatch: moved }]);
  });

  it("is not a second one with the name of another cluster's", async () => {
    const others: ClaimedIdentity[] = [
      { ...own, description: "[muster-owner:other]" },
      { uid: `${group}/02`, name: "muster", claimMatch, description: "" },
    ];
    for (const other of others)
      for (const takeOver of [false, true]) {
        const identities = new Identities(other);
        await expect(ensure(identities, { claimMatch: moved, takeOver })).rejects.toThrow(
          new RegExp(`--identity-name: .*${other.uid}.*https://issuer.example`),
        );
        expect(identities.all).toEqual([other]);
      }
  });

  it("has a name of its own beside that of another cluster", async () => {
    const identities = new Identities({ ...own, description: "[muster-owner:other]" });
    const created = await ensure(identities, { claimMatch: moved, name: "muster-rebuilt" });
    expect(created).toMatchObject({ name: "muster-rebuilt", claimMatch: moved });
    expect(identities.all).toHaveLength(2);
  });

  it("that exists takes the record over from another one", async () => {
    const identities = new Identities({ ...own, claimMatch: moved }, { ...own, uid: `${group}/02`, description: "" });
    await expect(ensure(identities)).rejects.toThrow("--take-over");
    expect(await ensure(identities, { takeOver: true })).toMatchObject({ uid: `${group}/02` });
    expect(identities.all.map(({ description }) => description)).toEqual(["", "[muster-owner:cluster]"]);
  });

  it("with another owner is refused unless it is to take over", async () => {
    const identities = new Identities(own);
    await expect(ensure(identities, { owner: "renamed" })).rejects.toThrow("--take-over");
    await ensure(identities, { owner: "renamed", takeOver: true });
    expect(identities.all).toEqual([{ ...own, description: "[muster-owner:renamed]" }]);
  });
});
