import { decodeJwt } from "jose";
import { refresh } from "../../client/token-service.ts";
import type { Outcome } from "../../client/api.ts";
import { equal, holds, matches, Mismatch, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";
import { StaticIssuer } from "../../static-issuer.ts";
import type { World } from "../../world.ts";

interface Raw {
  readonly token: string;
  readonly expiry: string;
}

interface Pair {
  readonly token: Raw;
  readonly refreshToken: Raw;
}

const hour = 3_600_000;

const use = (world: World, refreshToken: string, asked: object = {}): Promise<Outcome> =>
  world.tokens(refreshToken).call(refresh, { ...asked });

/** Uses a refresh token, which must succeed. */
async function used(world: World, refreshToken: string, asked: object = {}): Promise<Pair> {
  return succeeded(await use(world, refreshToken, asked), "a refresh") as unknown as Pair;
}

/** A refresh token that gives nothing: 7 where it is known that it did once, else 16. */
async function givesNothing(world: World, refreshToken: string, what: string): Promise<void> {
  const outcome = await use(world, refreshToken);
  if (outcome.ok) throw new Mismatch(what, "a refusal", "success");
  const { failure } = outcome;
  holds(failure.code === 7 || failure.code === 16, what, "code 7 or 16", failure);
}

/** An owner of the case's group and a refresh token of theirs. */
async function owner(world: World, narrowing: Readonly<Record<string, unknown>> = {}) {
  const { uid: identity, subject, incoming } = await world.makeAssumable();
  await world.bind(world.group, identity, await world.builtInRole("owner"));
  const { refreshToken } = succeeded(await world.exchange(incoming, { identity, ...narrowing }));
  return { identity, subject, incoming, refreshToken: String(refreshToken) };
}

/** Refresh tokens. */
export const refreshTokens: Chapter = {
  title: "Refresh tokens",
  origin: "decided",
  sentences: [
    {
      id: "refresh.answer",
      says: "`POST {auth_url}/sts/exchange_refresh_token`, with the refresh token as bearer, answers `{token: {…}, refreshToken: {…}}`.",
      cases: [
        overBoth("what it gives", async (world) => {
          const { identity, subject, refreshToken } = await owner(world);
          const { token, refreshToken: next } = await used(world, refreshToken);
          succeeded(await world.as(token.token).get("groups", world.group), "a call with the token");
          const claims = decodeJwt(token.token);
          equal(claims.sub, identity, "sub");
          equal((claims["act"] as { sub: string }).sub, subject, "sub of act");
          equal(Date.parse(token.expiry), (claims.exp ?? 0) * 1_000, "expiry of the token");
          matches(next.token, /./, "token of refreshToken");
          holds(Date.parse(next.expiry) > Date.now(), "expiry of refreshToken", "a time to come", next.expiry);
        }),
        overRest("its parameters form-encoded", async (world) => {
          const { refreshToken } = await owner(world);
          const headers = { "content-type": "application/x-www-form-urlencoded" };
          const answer = await world
            .tokensOverRest(refreshToken)
            .send("POST", "/sts/exchange_refresh_token", { body: "cap=groups.list", headers });
          equal(answer.status, 200, "the HTTP status");
          const api = world.as((JSON.parse(answer.text) as Pair).token.token);
          succeeded(await api.get("groups", world.group), "what it was narrowed to");
          refused(await api.update("groups", world.group, { description: "d" }), { code: 7 }, "anything else");
        }),
      ],
    },
    {
      id: "refresh.once",
      says: "A refresh token is used once, and using it again ends its family.",
      cases: [
        overBoth("one after the other", async (world) => {
          const { refreshToken } = await owner(world);
          const second = await used(world, refreshToken);
          const third = await used(world, second.refreshToken.token);
          await givesNothing(world, refreshToken, "the first one again");
          await givesNothing(world, third.refreshToken.token, "the latest one of its family, afterwards");
        }),
        overBoth("at once", async (world) => {
          const { refreshToken } = await owner(world);
          const outcomes = await Promise.all(Array.from({ length: 5 }, () => use(world, refreshToken)));
          const given = outcomes.filter(({ ok }) => ok).length;
          equal(given, 1, "how many of five uses at once succeed");
        }),
        overBoth("another family lives on", async (world) => {
          const { identity, incoming, refreshToken } = await owner(world);
          const other = succeeded(await world.exchange(incoming, { identity }));
          await used(world, refreshToken);
          await givesNothing(world, refreshToken, "the first one again");
          await used(world, String(other["refreshToken"]));
        }),
      ],
    },
    {
      id: "refresh.narrow",
      says: "A refresh may only narrow.",
      cases: [
        overBoth("capabilities", async (world) => {
          const { refreshToken } = await owner(world, { cap: ["groups.list", "groups.update"] });
          const narrower = await used(world, refreshToken, { cap: ["groups.list"] });
          const api = world.as(narrower.token.token);
          succeeded(await api.get("groups", world.group), "what it was narrowed to");
          refused(await api.update("groups", world.group, { description: "d" }), { code: 7 }, "what it had before");
          const next = await used(world, narrower.refreshToken.token);
          const again = world.as(next.token.token);
          refused(await again.update("groups", world.group, { description: "d" }), { code: 7 }, "after one more");
          const wider = await use(world, next.refreshToken.token, { cap: ["groups.list", "groups.update"] });
          refused(wider, { code: 7 }, "asking for it again");
        }),
        overBoth("groups", async (world) => {
          const [inner, beside] = [await world.makeGroup(), await world.makeGroup()];
          const deep = await world.makeGroup(inner);
          const { refreshToken } = await owner(world, { scope: inner });
          const narrower = await used(world, refreshToken, { scopes: [deep] });
          const api = world.as(narrower.token.token);
          succeeded(await api.get("groups", deep), "the group that it was narrowed to");
          refused(await api.get("groups", inner), { code: 5 }, "the group that it had before");
          const wider = await use(world, narrower.refreshToken.token, { scope: inner });
          refused(wider, { code: 7 }, "asking for it again");
          const { refreshToken: other } = await owner(world, { scope: inner });
          refused(await use(world, other, { scope: beside }), { code: 7 }, "asking for another group");
        }),
        overBoth("audiences", async (world) => {
          const { refreshToken } = await owner(world);
          const { refreshToken: next } = await used(world, refreshToken, { aud: [world.target.audience] });
          const other = await use(world, next.token, { aud: ["https://other.invalid"] });
          refused(other, { code: 3, field: "aud" }, "asking for another audience");
        }),
      ],
    },
    {
      id: "refresh.no-api-token",
      says: "Refresh tokens are no API tokens nor the reverse.",
      cases: [
        overBoth(async (world) => {
          const { identity, incoming, refreshToken } = await owner(world);
          refused(await world.as(refreshToken).get("groups", world.group), { code: 16 }, "a call with a refresh token");
          refused(await world.exchange(refreshToken, { identity }), { code: 16 }, "an exchange of a refresh token");
          const { token } = succeeded(await world.exchange(incoming, { identity }));
          for (const [what, bearer] of Object.entries({
            "an API token": String(token),
            "the token of another issuer": incoming,
            "a token that nobody gave": `${refreshToken.slice(0, -8)}AAAAAAAA`,
          }))
            await givesNothing(world, bearer, `a refresh with ${what}`);
          refused(await world.tokens(undefined).call(refresh, {}), { code: 16 }, "a refresh without a bearer");
        }),
      ],
    },
    {
      id: "refresh.end",
      says: "A family ends after 24 h (a setting), however often it is used.",
      cases: [
        overBoth("its end is told and does not move", async (world) => {
          const { refreshToken } = await owner(world);
          const second = await used(world, refreshToken);
          const third = await used(world, second.refreshToken.token);
          equal(third.refreshToken.expiry, second.refreshToken.expiry, "expiry of the next refresh token");
          const hours = (Date.parse(third.refreshToken.expiry) - Date.now()) / hour;
          if (hours > 1) holds(hours < 24 * 365, "hours until the family ends", "less than a year", hours);
        }),
      ],
    },
    {
      id: "refresh.deleted",
      says: "A family ends when the identity is deleted.",
      cases: [
        overBoth(async (world) => {
          const { identity, refreshToken } = await owner(world);
          succeeded(await world.api.delete("identities", identity));
          await givesNothing(world, refreshToken, "a refresh after the identity's deletion");
        }),
      ],
    },
    {
      id: "refresh.changed",
      says: "A family ends when it is changed how the identity is assumed.",
      cases: [
        overBoth(async (world) => {
          const { identity, subject, refreshToken } = await owner(world);
          succeeded(await world.api.update("identities", identity, { description: "d" }));
          const { refreshToken: next } = await used(world, refreshToken);
          const staticKeys = {
            issuer: world.issuer.issuer,
            subject,
            issuerKeys: await new StaticIssuer().keys(),
            audiences: [world.incomingAudience],
          };
          succeeded(await world.api.update("identities", identity, { staticKeys }, ["staticKeys"]));
          await givesNothing(world, next.token, "a refresh after its keys were changed");
        }),
      ],
    },
  ],
};
