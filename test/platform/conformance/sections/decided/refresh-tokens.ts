import { decodeJwt } from "jose";
import { refresh } from "../../client/token-service.ts";
import type { Outcome } from "../../client/api.ts";
import { equal, holds, matches, Mismatch, rejected, succeeded } from "../../expect.ts";
import { coveredBy, decidedSection, overBoth, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";

interface RawToken {
  readonly token: string;
  readonly expiry: string;
}

interface TokenPair {
  readonly token: RawToken;
  readonly refreshToken: RawToken;
}

const hour = 3_600_000;

const use = (world: World, refreshToken: string, parameters: object = {}): Promise<Outcome> =>
  world.tokenService(refreshToken).call(refresh, { ...parameters });

/** Uses a refresh token; this must succeed. */
async function used(world: World, refreshToken: string, parameters: object = {}): Promise<TokenPair> {
  return succeeded(await use(world, refreshToken, parameters), "a refresh") as unknown as TokenPair;
}

/** Checks that a refresh token is invalid: 7 if the platform knows that it was used or ended, otherwise 16. */
async function isInvalid(world: World, refreshToken: string, what: string): Promise<void> {
  const outcome = await use(world, refreshToken);
  if (outcome.ok) throw new Mismatch(what, "an error", "success");
  const { failure } = outcome;
  holds(failure.code === 7 || failure.code === 16, what, "code 7 or 16", failure);
}

/** Creates an owner of the case's group with a refresh token. */
async function owner(world: World, downscope: Readonly<Record<string, unknown>> = {}) {
  const { uid: identity, subject, subjectToken } = await world.makeAssumable();
  await world.bind(world.group, identity, await world.builtInRole("owner"));
  const { refreshToken } = succeeded(await world.exchange(subjectToken, { identity, ...downscope }));
  return { identity, subject, subjectToken, refreshToken: String(refreshToken) };
}

/** Refresh tokens. */
export const refreshTokens = decidedSection("Refresh tokens", [
  requirement(
    "refresh.response",
    "`POST {auth_url}/sts/exchange_refresh_token`, with the refresh token as bearer, returns `{token: {…}, refreshToken: {…}}`.",
    overBoth("the pair of tokens", async (world) => {
      const { identity, subject, refreshToken } = await owner(world);
      const { token, refreshToken: next } = await used(world, refreshToken);
      succeeded(await world.as(token.token).get("groups", world.group), "a call with the token");
      const claims = decodeJwt(token.token);
      equal(claims.sub, identity, "sub");
      equal((claims["act"] as { sub: string }).sub, subject, "sub of act");
      equal(Date.parse(token.expiry), (claims.exp ?? 0) * 1_000, "expiry of the token");
      matches(next.token, /./, "token of refreshToken");
      holds(Date.parse(next.expiry) > Date.now(), "expiry of refreshToken", "a time in the future", next.expiry);
    }),
    overRest("form-encoded parameters", async (world) => {
      const { refreshToken } = await owner(world);
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const response = await world
        .tokenServiceOverRest(refreshToken)
        .send("POST", "/sts/exchange_refresh_token", { body: "cap=groups.list", headers });
      equal(response.status, 200, "the HTTP status");
      const api = world.as((JSON.parse(response.text) as TokenPair).token.token);
      succeeded(await api.get("groups", world.group), "a capability in the downscope");
      rejected(
        await api.update("groups", world.group, { description: "d" }),
        { code: 7 },
        "a capability outside of the downscope",
      );
    }),
  ),
  requirement(
    "refresh.once",
    "A refresh token can be used once; reuse ends its family.",
    overBoth("in sequence", async (world) => {
      const { refreshToken } = await owner(world);
      const second = await used(world, refreshToken);
      const third = await used(world, second.refreshToken.token);
      await isInvalid(world, refreshToken, "reuse of the first token");
      await isInvalid(world, third.refreshToken.token, "the family's latest token after the reuse");
    }),
    overBoth("concurrently", async (world) => {
      const { refreshToken } = await owner(world);
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => use(world, refreshToken)));
      const successes = outcomes.filter(({ ok }) => ok).length;
      equal(successes, 1, "the number of successes in five concurrent uses");
    }),
    overBoth("other families are not affected", async (world) => {
      const { identity, subjectToken, refreshToken } = await owner(world);
      const other = succeeded(await world.exchange(subjectToken, { identity }));
      await used(world, refreshToken);
      await isInvalid(world, refreshToken, "reuse of the first token");
      await used(world, String(other["refreshToken"]));
    }),
  ),
  requirement(
    "refresh.downscope",
    "A refresh can downscope the token, but never widen it.",
    overBoth("capabilities", async (world) => {
      const { refreshToken } = await owner(world, { cap: ["groups.list", "groups.update"] });
      const downscoped = await used(world, refreshToken, { cap: ["groups.list"] });
      const api = world.as(downscoped.token.token);
      succeeded(await api.get("groups", world.group), "a capability in the downscope");
      rejected(
        await api.update("groups", world.group, { description: "d" }),
        { code: 7 },
        "a capability before the downscope",
      );
      const next = await used(world, downscoped.refreshToken.token);
      const again = world.as(next.token.token);
      rejected(
        await again.update("groups", world.group, { description: "d" }),
        { code: 7 },
        "the same capability after a further refresh",
      );
      const wider = await use(world, next.refreshToken.token, { cap: ["groups.list", "groups.update"] });
      rejected(wider, { code: 7 }, "a refresh that widens the token");
    }),
    overBoth("groups", async (world) => {
      const [inner, sibling] = [await world.makeGroup(), await world.makeGroup()];
      const deep = await world.makeGroup(inner);
      const { refreshToken } = await owner(world, { scope: inner });
      const downscoped = await used(world, refreshToken, { scopes: [deep] });
      const api = world.as(downscoped.token.token);
      succeeded(await api.get("groups", deep), "a group in the downscope");
      rejected(await api.get("groups", inner), { code: 5 }, "a group before the downscope");
      const wider = await use(world, downscoped.refreshToken.token, { scope: inner });
      rejected(wider, { code: 7 }, "a refresh that widens the token");
      const next = await used(world, downscoped.refreshToken.token);
      const again = world.as(next.token.token);
      rejected(await again.get("groups", inner), { code: 5 }, "the same group after a further refresh");
      const { refreshToken: other } = await owner(world, { scope: inner });
      rejected(await use(world, other, { scope: sibling }), { code: 7 }, "a refresh for another group");
    }),
    overBoth("audiences", async (world) => {
      const { refreshToken } = await owner(world);
      const { refreshToken: next } = await used(world, refreshToken, { aud: [world.target.audience] });
      const other = await use(world, next.token, { aud: ["https://other.invalid"] });
      rejected(other, { code: 3, field: "aud" }, "a refresh for another audience");
    }),
  ),
  requirement(
    "refresh.no-api-token",
    "A refresh token is not accepted as an API token, nor the reverse.",
    overBoth(async (world) => {
      const { identity, subjectToken, refreshToken } = await owner(world);
      rejected(await world.as(refreshToken).get("groups", world.group), { code: 16 }, "a call with a refresh token");
      rejected(await world.exchange(refreshToken, { identity }), { code: 16 }, "an exchange of a refresh token");
      const { token } = succeeded(await world.exchange(subjectToken, { identity }));
      for (const [what, bearer] of Object.entries({
        "an API token": String(token),
        "the token of another issuer": subjectToken,
        "the beginning of a token": refreshToken.slice(0, 15),
        "an empty token": "",
        "the token of the admin": world.target.token,
      }))
        rejected(await use(world, bearer), { code: 16 }, `a refresh with ${what}`);
      await isInvalid(world, `${refreshToken.slice(0, -8)}AAAAAAAA`, "a refresh with a token that was never issued");
      rejected(await world.tokenService(undefined).call(refresh, {}), { code: 16 }, "a refresh without a bearer");
    }),
  ),
  requirement(
    "refresh.end",
    "A family ends after 24 h (a setting), regardless of how often it is used.",
    overBoth("a refresh does not extend the expiry", async (world) => {
      const { refreshToken } = await owner(world);
      const second = await used(world, refreshToken);
      const third = await used(world, second.refreshToken.token);
      equal(third.refreshToken.expiry, second.refreshToken.expiry, "expiry of the next refresh token");
      const hours = (Date.parse(third.refreshToken.expiry) - Date.now()) / hour;
      if (hours > 1) holds(hours < 24 * 365, "hours until the family ends", "less than a year", hours);
    }),
  ),
  requirement(
    "refresh.deleted",
    "A family ends when the identity is deleted.",
    overBoth(async (world) => {
      const { identity, refreshToken } = await owner(world);
      succeeded(await world.api.delete("identities", identity));
      await isInvalid(world, refreshToken, "a refresh after the identity's deletion");
    }),
  ),
  coveredBy(
    "refresh.changed",
    "A family ends when the way to assume the identity changes.",
    "access.assumption-changed",
  ),
]);
