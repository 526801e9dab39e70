import { decodeJwt } from "jose";
import type { RestAnswer } from "../../client/rest.ts";
import { equal, has, matches, refused, rowsOf, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overGrpc, overRest } from "../../sentence.ts";
import type { World } from "../../world.ts";

const uidsOf = (rows: readonly { readonly uid: string }[]) => rows.map(({ uid }) => uid);

/** A group, one in it, and one beside it. */
async function tree(world: World) {
  const top = await world.makeGroup();
  return { top, child: await world.makeGroup(top), beside: await world.makeGroup() };
}

/** What a query or a form says of an exchange. */
const parametersOf = ({ target }: World, identity: string) =>
  new URLSearchParams({ aud: target.audience, identity }).toString();

function tokenOf({ status, text }: RestAnswer, what: string): string {
  equal(status, 200, `the HTTP status of ${what}`);
  const { token } = JSON.parse(text) as { token: string };
  matches(token, /^[^.]+\.[^.]+\.[^.]+$/, `the token of ${what}`);
  return token;
}

/** How an API token is asked for, and what it says. */
export const tokenExchange: Chapter = {
  title: "Token exchange",
  origin: "decided",
  sentences: [
    {
      id: "exchange.get-and-post",
      says: "`GET` or `POST {auth_url}/sts/exchange`, parameters in the query or form-encoded.",
      cases: [
        overRest("each of them", async (world) => {
          const { uid, incoming } = await world.makeAssumable();
          const parameters = parametersOf(world, uid);
          const tokens = world.tokensOverRest(incoming);
          const form = { "content-type": "application/x-www-form-urlencoded" };
          const answers = {
            "a GET": await tokens.send("GET", `/sts/exchange?${parameters}`),
            "a POST of a form": await tokens.send("POST", "/sts/exchange", { body: parameters, headers: form }),
            "a POST with a query": await tokens.send("POST", `/sts/exchange?${parameters}`),
          };
          for (const [what, answer] of Object.entries(answers))
            equal(decodeJwt(tokenOf(answer, what)).sub, uid, `sub of the token of ${what}`);
        }),
        overRest("what narrows is read in a form, and repeated there", async (world) => {
          const { uid, incoming } = await world.makeAssumable();
          await world.bind(world.group, uid, await world.builtInRole("owner"));
          const body = `${parametersOf(world, uid)}&cap=groups.list&cap=repo.list`;
          const headers = { "content-type": "application/x-www-form-urlencoded" };
          const answer = await world.tokensOverRest(incoming).send("POST", "/sts/exchange", { body, headers });
          const api = world.as(tokenOf(answer, "a POST of a form"));
          succeeded(await api.get("groups", world.group), "reading the group");
          refused(await api.update("groups", world.group, { description: "d" }), { code: 7 }, "changing it");
        }),
      ],
    },
    {
      id: "exchange.answer",
      says: "The answer is `{token, refreshToken, expiry}`.",
      cases: [
        overBoth(async (world) => {
          const { uid: identity, incoming } = await world.makeAssumable();
          const { token, refreshToken, expiry } = succeeded(await world.exchange(incoming, { identity }));
          matches(refreshToken, /./, "refreshToken");
          equal(Date.parse(String(expiry)), (decodeJwt(String(token)).exp ?? 0) * 1_000, "expiry, against the token's");
        }),
      ],
    },
    {
      id: "exchange.over-grpc",
      says: "Exchange and refresh are there over gRPC too; a token is the same whichever gave it.",
      cases: [
        overGrpc(async (world) => {
          const { uid: identity, incoming } = await world.makeAssumable();
          await world.bind(world.group, identity, await world.builtInRole("viewer"));
          const { token } = succeeded(await world.exchange(incoming, { identity }));
          succeeded(await world.rest.as(String(token)).get("groups", world.group), "a call over REST");
        }),
      ],
    },
    {
      id: "exchange.token",
      says: "The token: `iss` = `{auth_url}`, `sub` = identity uid, `aud`, `act` {iss, sub, aud of the incoming token}, `iat`, `exp` = iat + 3600.",
      cases: [
        overBoth(async (world) => {
          const { uid, subject, incoming } = await world.makeAssumable();
          const { token } = succeeded(await world.exchange(incoming, { identity: uid }));
          const { iat = 0, exp, aud, ...claims } = decodeJwt(String(token));
          has(claims, { iss: world.target.authUrl, sub: uid }, "the token");
          equal([aud].flat(), [world.target.audience], "aud");
          equal(exp, iat + 3_600, "exp");
          const act = claims["act"] as { aud: unknown };
          has(act, { iss: world.issuer.issuer, sub: subject }, "act");
          equal([act.aud].flat(), [world.incomingAudience], "aud of act");
        }),
      ],
    },
    {
      id: "exchange.aud",
      says: "`aud` must be `{base_url}` or an audience of the settings, else 3; it is repeatable.",
      cases: [
        overBoth("one that is not ours", async (world) => {
          const { uid: identity, incoming } = await world.makeAssumable();
          const { audience } = world.target;
          for (const aud of [[], ["https://other.invalid"], [audience, "https://other.invalid"], [`${audience}x`]])
            refused(await world.exchange(incoming, { identity, aud }), { code: 3, field: "aud" }, `aud=${aud.join()}`);
        }),
        overBoth("repeated", async (world) => {
          const { uid: identity, incoming } = await world.makeAssumable();
          const { audience } = world.target;
          const { token } = succeeded(await world.exchange(incoming, { identity, aud: [audience, audience] }));
          equal([...new Set([decodeJwt(String(token)).aud].flat())], [audience], "aud of the token");
        }),
      ],
    },
    {
      id: "exchange.identity",
      says: "`identity` is required; a malformed one is code 3.",
      cases: [
        overBoth(async (world) => {
          const { uid, incoming } = await world.makeAssumable();
          for (const identity of ["", "nonsense", `${uid}/`, uid.toUpperCase()])
            refused(await world.exchange(incoming, { identity }), { code: 3, field: "identity" }, `"${identity}"`);
        }),
      ],
    },
    {
      id: "exchange.scope",
      says: "`scope`, and `scopes` (repeatable: groups), narrow the token: it holds in these groups and below them alone.",
      cases: [
        overBoth("one group", async (world) => {
          const { top, child, beside } = await tree(world);
          const { api } = await world.caller("owner", world.group, { scope: top });
          succeeded(await api.get("groups", top), "reading the group of its scope");
          succeeded(await api.update("groups", child, { description: "d" }), "changing one below it");
          refused(await api.get("groups", beside), { code: 5 }, "reading one beside it");
          refused(await api.get("groups", world.group), { code: 5 }, "reading the one above it");
          equal(uidsOf(rowsOf(await api.list("groups"), "groups")).toSorted(), [top, child], "the groups of a List");
        }),
        overBoth("several", async (world) => {
          const { top, child, beside } = await tree(world);
          const { api } = await world.caller("owner", world.group, { scopes: [child, beside] });
          for (const uid of [child, beside]) succeeded(await api.get("groups", uid), "reading a group of its scopes");
          refused(await api.get("groups", top), { code: 5 }, "reading another one");
        }),
        overBoth("it gives nothing that the bindings do not", async (world) => {
          const { top, child, beside } = await tree(world);
          const above = await world.caller("viewer", child, { scope: top });
          succeeded(await above.api.get("groups", child), "reading the group of its binding");
          refused(await above.api.get("groups", top), { code: 5 }, "reading the group of its scope");
          const elsewhere = await world.caller("viewer", child, { scope: beside });
          for (const uid of [child, beside])
            refused(await elsewhere.api.get("groups", uid), { code: 5 }, "where one of both alone holds");
        }),
        overBoth("what is no uid", async (world) => {
          const { uid: identity, incoming } = await world.makeAssumable();
          for (const narrowing of [{ scope: "nonsense" }, { scopes: [world.group, "nonsense"] }])
            refused(await world.exchange(incoming, { identity, ...narrowing }), { code: 3 }, "an exchange");
        }),
      ],
    },
    {
      id: "exchange.cap",
      says: "`cap` (repeatable, dotted names) narrows the token to these capabilities; an unknown one is 3.",
      cases: [
        overBoth("one", async (world) => {
          const { api } = await world.caller("owner", world.group, { cap: ["groups.list"] });
          succeeded(await api.get("groups", world.group), "what it is narrowed to");
          refused(await api.update("groups", world.group, { description: "d" }), { code: 7 }, "anything else");
          equal(rowsOf(await api.list("identities"), "identities"), [], "a List of anything else");
        }),
        overBoth("several", async (world) => {
          const { api } = await world.caller("owner", world.group, { cap: ["groups.list", "groups.create"] });
          const { uid } = succeeded(await api.create("groups", world.group, { name: "a" }), "one of them");
          succeeded(await api.get("groups", uid), "another one of them");
          refused(await api.delete("groups", uid), { code: 7 }, "anything else");
        }),
        overBoth("together with a scope", async (world) => {
          const { top, beside } = await tree(world);
          const { api } = await world.caller("owner", world.group, { cap: ["groups.list"], scope: top });
          succeeded(await api.get("groups", top), "what both allow");
          refused(await api.delete("groups", top), { code: 7 }, "another capability");
          refused(await api.get("groups", beside), { code: 5 }, "another group");
        }),
        overBoth("it gives nothing that the bindings do not", async (world) => {
          const { api } = await world.caller("viewer", world.group, { cap: ["groups.list", "groups.create"] });
          refused(await api.create("groups", world.group, { name: "a" }), { code: 7 }, "making a group");
        }),
        overBoth("an unknown one", async (world) => {
          const { uid: identity, incoming } = await world.makeAssumable();
          for (const cap of ["groups.fly", "CAP_IAM_GROUPS_LIST", ""])
            refused(
              await world.exchange(incoming, { identity, cap: ["groups.list", cap] }),
              { code: 3, field: "cap" },
              `cap=${cap}`,
            );
        }),
      ],
    },
    {
      id: "exchange.aws",
      says: "Exchange for an `awsIdentity` answers 12.",
      cases: [
        overBoth(async (world) => {
          const awsIdentity = { awsAccount: "123456789012", arn: "a", userId: "u" };
          const { uid } = await world.make("identities", world.group, { name: "a", awsIdentity });
          const incoming = await world.issuer.token("u", world.incomingAudience);
          refused(await world.exchange(incoming, { identity: uid }), { code: 12 });
        }),
      ],
    },
    {
      id: "exchange.errors",
      says: "Errors at the token exchange have the same body: `code` is the gRPC number.",
      cases: [
        overRest(async (world) => {
          const { uid, incoming } = await world.makeAssumable();
          const right = `/sts/exchange?${parametersOf(world, uid)}`;
          const tokens = world.tokensOverRest(incoming);
          const answers = [
            [16, 401, await tokens.as(undefined).send("GET", right)],
            [16, 401, await tokens.as("nonsense").send("POST", right)],
            [3, 400, await tokens.send("GET", "/sts/exchange")],
            [7, 403, await tokens.as(await world.issuer.token("another", "one")).send("GET", right)],
          ] as const;
          for (const [code, status, answer] of answers) {
            equal(answer.status, status, `the HTTP status of code ${code}`);
            has(JSON.parse(answer.text), { code }, "the body");
            matches((JSON.parse(answer.text) as { message: unknown }).message, /./, "message");
          }
        }),
      ],
    },
    {
      id: "exchange.no-store",
      says: "Answers are `no-store`.",
      cases: [
        overRest(async (world) => {
          const { uid, incoming } = await world.makeAssumable();
          const path = `/sts/exchange?${parametersOf(world, uid)}`;
          const tokens = world.tokensOverRest(incoming);
          const given = await tokens.send("GET", path);
          const { refreshToken } = JSON.parse(given.text) as { refreshToken: string };
          const answers = {
            "an exchange": given,
            "a refused one": await tokens.as(undefined).send("GET", path),
            "a refresh": await tokens.as(refreshToken).send("POST", "/sts/exchange_refresh_token"),
          };
          for (const [what, { headers }] of Object.entries(answers))
            matches(headers["cache-control"], /\bno-store\b/, `Cache-Control of ${what}`);
        }),
      ],
    },
    {
      id: "exchange.host",
      says: "URLs come from settings, never from a Host header.",
      cases: [
        overRest(async (world) => {
          const { uid, incoming } = await world.makeAssumable();
          const headers = { host: "other.invalid", "x-forwarded-host": "other.invalid" };
          const tokens = world.tokensOverRest(incoming);
          const answer = await tokens.send("GET", `/sts/exchange?${parametersOf(world, uid)}`, { headers });
          // A proxy before the platform may know no such host; what matters is that no token says it.
          if (answer.status === 200) equal(decodeJwt(tokenOf(answer, "it")).iss, world.target.authUrl, "iss");
          const asked = new URLSearchParams({ aud: "http://other.invalid", identity: uid }).toString();
          const other = await tokens.send("GET", `/sts/exchange?${asked}`, { headers });
          equal(other.status === 200, false, "whether a token for the host of the header is given");
        }),
      ],
    },
    {
      id: "exchange.own-address",
      says: "The token service answers on the platform's own address too, so that `{auth_url}` may equal `{base_url}`.",
      cases: [
        overRest(async (world) => {
          const { uid, incoming } = await world.makeAssumable();
          const answer = await world.rest.as(incoming).send("GET", `/sts/exchange?${parametersOf(world, uid)}`);
          equal(decodeJwt(tokenOf(answer, "an exchange at {base_url}")).iss, world.target.authUrl, "iss");
        }),
      ],
    },
    {
      id: "exchange.elsewhere",
      says: "`{auth_url}` may be another host than `{base_url}`. Interactive login and the redeeming of invites are outside of this API.",
      untried: "nothing that could be seen to break: a run may name another host with --auth-url",
    },
  ],
};
