import type { MonotonicTime } from "#src/time/clock.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import type { ListQuery, PlatformApi } from "./api.ts";
import { type CodeName, PlatformFailure } from "./failure.ts";
import type { ManagedCollection, ResourceType } from "./collection.ts";
import { GovernedApi } from "./governed-api.ts";
import { groupCollection } from "./group-collection.testing.ts";
import type { OwnerCheck } from "./owner-check.ts";
import { PostLedger } from "./post-ledger.ts";
import { PlatformSession } from "./session.ts";
import { isBelow, parentOf } from "./uid.ts";

export const root = "a".repeat(40);
export const otherRoot = "b".repeat(40);
export const identity = `${root}/0000000000000001`;
export const owner = "d".repeat(40);
export const group = `${root}/1111111111111111`;
export const child = `${group}/2222222222222222`;
export const everyList = ["CAP_IAM_GROUPS_LIST", "CAP_IAM_IDENTITY_LIST", "CAP_IAM_ROLE_BINDINGS_LIST"];

export function rejected(code: CodeName): PlatformFailure {
  const error = { code, message: code, reason: "", domain: "", fieldViolations: [], preconditionViolations: [] };
  return new PlatformFailure("call", { kind: "rejected", error });
}
export const lost = () => new PlatformFailure("call", { kind: "noResponse", message: "lost" });
export const groupResource = (uid: string, name = "n") => ({ uid, name, description: name });

/** Sleeps pass by themselves, after everything that can run before them. */
class SelfAdvancingClock extends ManualClock {
  override async sleep(ms: number): Promise<void> {
    await settled();
    await this.advance(ms);
  }
}

/** A session over a platform of groups that records its calls, and fails those that a test sets in `failing`. */
export function world({
  capabilities = everyList,
  totals = [] as number[],
  posts = new PostLedger(15_000),
  ownerCheck,
  collections = [groupCollection],
}: {
  readonly collections?: readonly ManagedCollection[];
  readonly capabilities?: readonly string[];
  readonly totals?: number[];
  readonly posts?: PostLedger;
  readonly ownerCheck?: OwnerCheck;
} = {}) {
  const clock = new SelfAdvancingClock();
  const calls: string[] = [];
  /** Until when each PATCH and DELETE could be sent. */
  const sendBefore: (MonotonicTime | undefined)[] = [];
  const groups = new Map([root, group, child].map((uid) => [uid, groupResource(uid)]));
  const failing = new Map<string, () => Error>();
  /** `createsBelow`: below which group a misbehaving platform creates everything. */
  const state = { epoch: 1, canWrite: true, capabilities, createsBelow: undefined as string | undefined };
  /** When the platform responds to reads of single resources. */
  const get = { responds: Promise.resolve() };
  const call = (name: string) => {
    calls.push(name);
    const error = failing.get(name);
    if (error !== undefined) throw error();
  };
  const find = (uid: string) => {
    const found = groups.get(uid);
    if (found === undefined) throw rejected("NOT_FOUND");
    return found;
  };
  const api = {
    list: async ({ name: collection }: ResourceType, { scope, filter }: ListQuery) => {
      const where = scope === undefined ? JSON.stringify(filter ?? {}) : Object.entries(scope).join();
      call(`list ${collection} ${where}`);
      if (collection === "roles")
        return { resources: [{ uid: owner, name: "owner", capabilities: state.capabilities }], totalCount: 1 };
      if (filter !== undefined)
        return {
          resources: [
            { uid: `${root}/0000000000000002`, identity: { uid: identity, name: "" }, role: { uid: owner, name: "" } },
          ],
          totalCount: 1,
        };
      const below = (uid: string) => {
        if (scope === undefined) return false;
        return "descendantsOf" in scope ? isBelow(uid, scope.descendantsOf) : parentOf(uid) === scope.childrenOf;
      };
      const resources = collection === "groups" ? [...groups.values()].filter(({ uid }) => below(uid)) : [];
      return { resources, totalCount: totals.shift() ?? resources.length };
    },
    get: async (_: ResourceType, uid: string) => {
      call(`get ${uid}`);
      const found = find(uid);
      await get.responds;
      return found;
    },
    create: async (_: ResourceType, parent: string, body: { name: string }) => {
      call("create");
      const made = groupResource(`${state.createsBelow ?? parent}/3333333333333333`, body.name);
      groups.set(made.uid, made);
      return made;
    },
    update: async (
      _: ResourceType,
      uid: string,
      body: { name: string },
      _mask: readonly string[],
      _signal: AbortSignal,
      before: MonotonicTime | undefined,
    ) => {
      call("update");
      sendBefore.push(before);
      const changed = { ...find(uid), ...body };
      groups.set(uid, changed);
      return changed;
    },
    delete: async (_: ResourceType, uid: string, _signal: AbortSignal, before: MonotonicTime | undefined) => {
      call("delete");
      sendBefore.push(before);
      find(uid);
      groups.delete(uid);
    },
  } as unknown as PlatformApi;
  const { signal } = new AbortController();
  const session = new PlatformSession({
    api: new GovernedApi(api, {
      address: "https://platform.example",
      probedGroup: root,
      clock,
      random: () => 0.5,
      signal,
    }),
    identity,
    roots: [root],
    credentialEpoch: () => state.epoch,
    collections,
    posts,
    ...(ownerCheck === undefined ? {} : { owner: ownerCheck }),
    clock,
    signal,
    canWrite: () => state.canWrite,
  });
  const lists = (collection = "groups") =>
    calls.filter((one) => one.startsWith(`list ${collection} `) && !one.includes("{"));
  return { session, clock, calls, sendBefore, groups, failing, state, get, lists };
}

export const anything = { startedAfter: 0, stable: false };
export const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => (error instanceof PlatformFailure ? error.problem : error),
  );
