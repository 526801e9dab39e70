import { setTimeout } from "node:timers/promises";
import { Groups } from "#src/platform/gen/muster/platform/iam/groups_pb.ts";
import { StaticIssuer } from "#test/support/static-issuer.ts";
import type { Api, Method } from "../../client/api.ts";
import { refresh } from "../../client/token-service.ts";
import { equal, holds, rejected, Skip, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";

const v1Groups: Method = { http: { verb: "GET", path: "/iam/v1/groups" }, rpc: Groups.method.list };
/** The lifetime of the keys whose expiry a case waits for, in milliseconds. */
const lifetime = 2_000;
/** The time after which their expiry must have taken effect, in milliseconds. */
const timeout = 20_000;

interface StaticKeys {
  readonly issuer: string;
  readonly subject: string;
  readonly issuerKeys: string;
  readonly audiences: readonly string[];
}

/** Creates a viewer of the case's group. `exchanged` exchanges its subject token for an API token. */
async function assumable(world: World) {
  const { uid: identity, subject, subjectToken } = await world.makeAssumable();
  await world.bind(world.group, identity, await world.builtInRole("viewer"));
  const issuerKeys = await world.issuer.keys();
  const audiences = [world.subjectTokenAudience];
  const staticKeys: StaticKeys = { issuer: world.issuer.issuer, subject, issuerKeys, audiences };
  const exchanged = async (): Promise<Api> => {
    const { token } = succeeded(await world.exchange(subjectToken, { identity }), "the exchange of a token");
    return world.as(String(token));
  };
  /** As `exchanged`, with a refresh token. */
  const withRefresh = async () => {
    const { token, refreshToken } = succeeded(await world.exchange(subjectToken, { identity }));
    return {
      api: world.as(String(token)),
      refreshed: () => world.tokenService(String(refreshToken)).call(refresh, {}),
    };
  };
  return { identity, subject, subjectToken, staticKeys, exchanged, withRefresh };
}

async function change(world: World, identity: string, staticKeys: StaticKeys): Promise<void> {
  succeeded(await world.api.update("identities", identity, { staticKeys }, ["staticKeys"]), "an update of staticKeys");
}

/** What ends the tokens of an identity before they expire. */
export const endedTokens = decidedSection("Tokens that have ended", [
  requirement(
    "access.identity-read-again",
    "Every request reads the caller's identity again: if it was deleted, or its static keys have expired, the response is 16.",
    overBoth("a deleted identity", async (world) => {
      const { api, identity } = await world.caller("viewer");
      succeeded(await api.get("groups", world.group), "a call before the deletion");
      succeeded(await world.api.delete("identities", identity));
      rejected(await api.get("groups", world.group), { code: 16 }, "a call after the deletion");
    }),
    overBoth("expired static keys", async (world) => {
      const { identity, subjectToken, exchanged } = await assumable(world);
      // The time comes from the platform's clock, which can differ from this machine's.
      const { updateTime } = succeeded(await world.api.update("identities", identity, { description: "d" }));
      const expiresAfter = (milliseconds: number) => ({
        staticKeys: { expirationTime: new Date(Date.parse(updateTime) + milliseconds).toISOString() },
      });
      const expiry = ["staticKeys.expirationTime"];
      succeeded(await world.api.update("identities", identity, expiresAfter(lifetime), expiry));
      const api = await exchanged();
      succeeded(await api.get("groups", world.group), "a call before the keys expired");
      const started = performance.now();
      for (let outcome = await api.get("groups", world.group); ; outcome = await api.get("groups", world.group)) {
        if (!outcome.ok) {
          rejected(outcome, { code: 16 }, "a call after the keys expired");
          break;
        }
        const waited = performance.now() - started;
        holds(waited < timeout, "the milliseconds after which the expiry takes effect", `less than ${timeout}`, waited);
        await setTimeout(100);
      }
      rejected(await world.exchange(subjectToken, { identity }), { code: 7 }, "an exchange after the keys expired");
      succeeded(await world.api.update("identities", identity, { description: "e" }), "a new description");
      const issuer = await world.api.update("identities", identity, { staticKeys: {} }, ["staticKeys.issuer"]);
      rejected(issuer, { code: 3, field: "staticKeys.issuer" }, "an update that removes the issuer");
      succeeded(await world.api.update("identities", identity, expiresAfter(10 * lifetime), expiry), "a new expiry");
    }),
  ),
  requirement(
    "access.assumption-changed",
    "If the caller's token was issued before the last change of how its identity is assumed, the response is 16. Adding keys or extending their expiry does not count; removing a key ends what it vouched for.",
    overBoth("a change ends the tokens issued before it, even in the same second", async (world) => {
      const { identity, subject, staticKeys, exchanged } = await assumable(world);
      const before = await exchanged();
      succeeded(await before.get("groups", world.group), "a call before the change");
      await change(world, identity, { ...staticKeys, subject: `${subject} other` });
      rejected(await before.get("groups", world.group), { code: 16 }, "a call after the change");
      await change(world, identity, staticKeys);
      rejected(await before.get("groups", world.group), { code: 16 }, "a call after the change was reverted");
      const after = await exchanged();
      succeeded(await after.get("groups", world.group), "a call with a token that was issued after the change");
    }),
    overBoth("every change ends every token", async (world) => {
      const soon = new Date(Date.now() + 24 * 3_600_000).toISOString();
      const [key] = (JSON.parse(await new StaticIssuer().keys()) as { keys: readonly object[] }).keys;
      for (const body of [
        { staticKeys: { issuer: "https://other.example.com" } },
        { staticKeys: { audiences: ["other"] } },
        { staticKeys: { issuerKeys: JSON.stringify({ keys: [key] }) } },
        { staticKeys: { expirationTime: soon } },
        { claimMatch: { issuer: world.issuer.issuer, subject: "caller" } },
        { awsIdentity: { awsAccount: "123456789012", arnPattern: ".*", userIdPattern: ".*" } },
      ]) {
        const { identity, withRefresh } = await assumable(world);
        const { api, refreshed } = await withRefresh();
        succeeded(await api.get("groups", world.group), "a call before the change");
        succeeded(await world.api.update("identities", identity, body), `a change to ${JSON.stringify(body)}`);
        const what = `after a change to ${JSON.stringify(body)}`;
        rejected(await api.get("groups", world.group), { code: 16 }, `a Get ${what}`);
        rejected(await api.create("groups", world.group, { name: "late" }), { code: 16 }, `a Create ${what}`);
        rejected(await api.call(v1Groups, {}), { code: 16 }, `a list of v1 ${what}`);
        rejected(await refreshed(), { code: 16 }, `a refresh ${what}`);
      }
    }),
    overBoth("an identity that changes itself ends its own tokens", async (world) => {
      const { api, identity } = await world.caller("owner");
      const body = { staticKeys: { subject: "another" } };
      succeeded(await api.update("identities", identity, body, ["staticKeys.subject"]), "a change of itself");
      rejected(await api.get("groups", world.group), { code: 16 }, "a call after it");
    }),
    overBoth("an update that leaves it equal, a new description, and a later expiry end nothing", async (world) => {
      const { identity, staticKeys, withRefresh } = await assumable(world);
      const expiresIn = async (days: number) => {
        const expirationTime = new Date(Date.now() + days * 24 * 3_600_000).toISOString();
        succeeded(await world.api.update("identities", identity, { staticKeys: { expirationTime } }));
        return expirationTime;
      };
      await expiresIn(1);
      const extended = await withRefresh();
      const expirationTime = await expiresIn(2);
      succeeded(await extended.api.get("groups", world.group), "a call after the expiry was extended");
      succeeded(await extended.refreshed(), "a refresh after the expiry was extended");
      Object.assign(staticKeys, { expirationTime });
      const { api: caller, refreshed } = await withRefresh();
      succeeded(await world.api.update("identities", identity, { name: "renamed", description: "d" }));
      await change(world, identity, staticKeys);
      const { keys } = JSON.parse(staticKeys.issuerKeys) as { keys: readonly object[] };
      const reordered = keys.map((key) => Object.fromEntries(Object.entries(key).toReversed()));
      await change(world, identity, { ...staticKeys, issuerKeys: JSON.stringify({ keys: reordered }, null, 1) });
      succeeded(await caller.get("groups", world.group), "a call after the updates");
      succeeded(await refreshed(), "a refresh after the updates");
    }),
    overBoth("an additional key ends nothing; removing a key does", async (world) => {
      const { identity, staticKeys, withRefresh } = await assumable(world);
      const { api: caller, refreshed } = await withRefresh();
      const { keys } = JSON.parse(staticKeys.issuerKeys) as { keys: readonly object[] };
      const [other] = (JSON.parse(await new StaticIssuer().keys()) as { keys: readonly object[] }).keys;
      const both = JSON.stringify({ keys: [{ ...other, kid: "2" }, ...keys] });
      await change(world, identity, { ...staticKeys, issuerKeys: both });
      succeeded(await caller.get("groups", world.group), "a call after a key was added");
      succeeded(await refreshed(), "a refresh after a key was added");
      await change(world, identity, {
        ...staticKeys,
        issuerKeys: JSON.stringify({ keys: [{ ...other, kid: "2" }] }),
      });
      rejected(await caller.get("groups", world.group), { code: 16 }, "a call after a key was removed");
    }),
  ),
  requirement(
    "access.revoke-tokens",
    "`POST /iam/v2beta1/identities/{uid}:revokeTokens` needs `identity.update` and ends every API and refresh token of the identity.",
    overRest(async (world) => {
      const { identity, exchanged, withRefresh } = await assumable(world);
      const revoke = (bearer: string | undefined, uid = identity, body?: object) =>
        world.rest.as(bearer).send("POST", `/iam/v2beta1/identities/${uid}:revokeTokens`, body ? { body } : {});
      const { api: before, refreshed } = await withRefresh();
      const other = await (await assumable(world)).exchanged();
      succeeded(await before.get("groups", world.group), "a call before the tokens are revoked");
      const { status } = await revoke(world.target.token);
      if (status === 404 || status === 501) throw new Skip("the platform does not have this method");
      equal(status, 200, "the HTTP status");
      rejected(await before.get("groups", world.group), { code: 16 }, "a call after the tokens were revoked");
      rejected(await refreshed(), { code: 16 }, "a refresh after the tokens were revoked");
      succeeded(await other.get("groups", world.group), "a call of another identity");
      const after = await exchanged();
      succeeded(await after.get("groups", world.group), "a call with a token that was issued later");
      const { token } = await world.caller("viewer");
      equal((await revoke(token)).status, 403, "the HTTP status without identity.update");
      const stranger = (await world.caller("viewer", await world.makeGroup())).token;
      equal((await revoke(stranger)).status, 404, "the HTTP status of a caller who does not see the identity");
      equal((await revoke(undefined)).status, 401, "the HTTP status without a token");
      for (const uid of [`${world.group}/${"0".repeat(16)}`, world.group, "nonsense"])
        equal((await revoke(world.target.token, uid)).status, 404, `the HTTP status for the uid ${uid}`);
      succeeded(await after.get("groups", world.group), "a call after the rejected attempts");
      equal((await revoke(world.target.token, identity, {})).status, 200, "the HTTP status with an empty body");
      rejected(await after.get("groups", world.group), { code: 16 }, "a call after the second time");
    }),
  ),
]);
