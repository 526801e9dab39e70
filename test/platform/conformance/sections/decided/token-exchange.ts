import { decodeJwt } from "jose";
import { outcomeOf, type RestResponse } from "../../client/rest.ts";
import { equal, has, matches, rejected, resourcesOf, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overGrpc, overRest, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

const uidsOf = (rows: readonly { readonly uid: string }[]) => rows.map(({ uid }) => uid);

/** Creates a group with a child and a sibling. */
async function tree(world: World) {
  const top = await world.makeGroup();
  return { top, child: await world.makeGroup(top), sibling: await world.makeGroup() };
}

/** The parameters of an exchange as a query or a form. */
const parametersOf = ({ target }: World, identity: string) =>
  new URLSearchParams({ aud: target.audience, identity }).toString();

function tokenOf({ status, text }: RestResponse, what: string): string {
  equal(status, 200, `the HTTP status of ${what}`);
  const { token } = JSON.parse(text) as { token: string };
  matches(token, /^[^.]+\.[^.]+\.[^.]+$/, `the token of ${what}`);
  return token;
}

/** The token exchange, and the content of an API token. */
export const tokenExchange = decidedSection("Token exchange", [
  requirement(
    "exchange.get-and-post",
    "`GET` or `POST {auth_url}/sts/exchange`, parameters in the query or form-encoded.",
    overRest("each method and encoding", async (world) => {
      const { uid, subjectToken } = await world.makeAssumable();
      const parameters = parametersOf(world, uid);
      const tokens = world.tokenServiceOverRest(subjectToken);
      const form = { "content-type": "application/x-www-form-urlencoded" };
      const responses = {
        "a GET": await tokens.send("GET", `/sts/exchange?${parameters}`),
        "a POST of a form": await tokens.send("POST", "/sts/exchange", { body: parameters, headers: form }),
        "a POST with a query": await tokens.send("POST", `/sts/exchange?${parameters}`),
      };
      for (const [what, response] of Object.entries(responses))
        equal(decodeJwt(tokenOf(response, what)).sub, uid, `sub of the token of ${what}`);
    }),
    overRest("JSON, and parameters in the query and the body", async (world) => {
      const { uid: identity, subjectToken } = await world.makeAssumable();
      const { audience: aud } = world.target;
      const post = async (query: object, body: string, type: string) =>
        outcomeOf(
          await world
            .tokenServiceOverRest(subjectToken)
            .send("POST", `/sts/exchange?${new URLSearchParams({ ...query }).toString()}`, {
              body,
              headers: { "content-type": type },
            }),
        );
      const json = (query: object, body: object) => post(query, JSON.stringify(body), "application/json");
      const form = (query: object, body: object) =>
        post(query, new URLSearchParams({ ...body }).toString(), "application/x-www-form-urlencoded");
      succeeded(await json({}, { aud: [aud], identity }), "a POST of JSON");
      for (const one of [json, form])
        succeeded(await one({ aud }, { identity }), "a POST of parameters in the query and the body");
      const twice = { code: 3, field: "identity" };
      for (const one of [json, form])
        rejected(await one({ aud, identity }, { identity: world.group }), twice, "a parameter in both");
      const scopes = `/sts/exchange?scope=${world.group}&scope=${world.group}&${parametersOf(world, identity)}`;
      const repeated = outcomeOf(await world.tokenServiceOverRest(subjectToken).send("POST", scopes));
      rejected(repeated, { code: 3, field: "scope" }, "a parameter that may not be repeated");
    }),
    overRest("repeated parameters in a form", async (world) => {
      const { uid, subjectToken } = await world.makeAssumable();
      await world.bind(world.group, uid, await world.builtInRole("owner"));
      const body = `${parametersOf(world, uid)}&cap=groups.list&cap=repo.list`;
      const authorization = `bearer ${subjectToken}`;
      const headers = { "content-type": "application/x-www-form-urlencoded", authorization };
      const response = await world.tokenServiceOverRest(subjectToken).send("POST", "/sts/exchange", { body, headers });
      const api = world.as(tokenOf(response, "a POST of a form"));
      succeeded(await api.get("groups", world.group), "reading the group");
      rejected(await api.update("groups", world.group, { description: "d" }), { code: 7 }, "changing it");
    }),
  ),
  requirement(
    "exchange.response",
    "The response is `{token, refreshToken, expiry}`.",
    overBoth(async (world) => {
      const { uid: identity, subjectToken } = await world.makeAssumable();
      const { token, refreshToken, expiry } = succeeded(await world.exchange(subjectToken, { identity }));
      matches(refreshToken, /./, "refreshToken");
      equal(Date.parse(String(expiry)), (decodeJwt(String(token)).exp ?? 0) * 1_000, "expiry, against the token's");
    }),
  ),
  requirement(
    "exchange.over-grpc",
    "Exchange and refresh are also available over gRPC; the tokens are valid for both transports.",
    overGrpc(async (world) => {
      const { uid: identity, subjectToken } = await world.makeAssumable();
      await world.bind(world.group, identity, await world.builtInRole("viewer"));
      const { token } = succeeded(await world.exchange(subjectToken, { identity }));
      succeeded(await world.rest.as(String(token)).get("groups", world.group), "a call over REST");
    }),
  ),
  requirement(
    "exchange.token",
    "The token: `iss` = `{auth_url}`, `sub` = identity uid, `aud`, `act` {iss, sub, aud of the subject token}, `iat`, `exp` = iat + 3600.",
    overBoth(async (world) => {
      const { uid, subject, subjectToken } = await world.makeAssumable();
      const { token } = succeeded(await world.exchange(subjectToken, { identity: uid }));
      const { iat = 0, exp, aud, ...claims } = decodeJwt(String(token));
      has(claims, { iss: world.target.authUrl, sub: uid }, "the token");
      equal([aud].flat(), [world.target.audience], "aud");
      equal(exp, iat + 3_600, "exp");
      const act = claims["act"] as { aud: unknown };
      equal(typeof act.aud, "string", "the type of a single aud of act");
      has(act, { iss: world.issuer.issuer, sub: subject }, "act");
      equal([act.aud].flat(), [world.subjectTokenAudience], "aud of act");
    }),
    overBoth("several audiences of the subject token are an array in aud of act", async (world) => {
      const { uid: identity, subject } = await world.makeAssumable();
      const aud = [world.subjectTokenAudience, "other"];
      const subjectToken = await world.issuer.token(subject, world.subjectTokenAudience, { aud });
      const { token } = succeeded(await world.exchange(subjectToken, { identity }));
      equal((decodeJwt(String(token))["act"] as { aud: unknown }).aud, aud, "aud of act");
    }),
  ),
  requirement(
    "exchange.aud",
    "`aud` must be `{base_url}` or an audience from the settings, otherwise 3; it is repeatable.",
    overBoth("other audiences", async (world) => {
      const { uid: identity, subjectToken } = await world.makeAssumable();
      const { audience } = world.target;
      for (const aud of [[], ["https://other.invalid"], [audience, "https://other.invalid"], [`${audience}x`]])
        rejected(await world.exchange(subjectToken, { identity, aud }), { code: 3, field: "aud" }, `aud=${aud.join()}`);
    }),
    overBoth("repeated", async (world) => {
      const { uid: identity, subjectToken } = await world.makeAssumable();
      const { audience } = world.target;
      const { token } = succeeded(await world.exchange(subjectToken, { identity, aud: [audience, audience] }));
      equal([...new Set([decodeJwt(String(token)).aud].flat())], [audience], "aud of the token");
    }),
  ),
  requirement(
    "exchange.identity",
    "`identity` is required; a malformed one is code 3.",
    overBoth(async (world) => {
      const { uid, subjectToken } = await world.makeAssumable();
      for (const identity of ["", "nonsense", `${uid}/`, uid.toUpperCase()])
        rejected(await world.exchange(subjectToken, { identity }), { code: 3, field: "identity" }, `"${identity}"`);
    }),
  ),
  requirement(
    "exchange.scope",
    "`scope` and `scopes` (repeatable) downscope the token to groups: it is valid only in these groups and below.",
    overBoth("one group", async (world) => {
      const { top, child, sibling } = await tree(world);
      const { api } = await world.caller("owner", world.group, { scope: top });
      succeeded(await api.get("groups", top), "reading the group of its scope");
      succeeded(await api.update("groups", child, { description: "d" }), "changing a group below");
      rejected(await api.get("groups", sibling), { code: 5 }, "reading a sibling");
      rejected(await api.get("groups", world.group), { code: 5 }, "reading the parent");
      equal(uidsOf(resourcesOf(await api.list("groups"), "groups")).toSorted(), [top, child], "the groups of a List");
    }),
    overBoth("several values", async (world) => {
      const { top, child, sibling } = await tree(world);
      const { api } = await world.caller("owner", world.group, { scopes: [child, sibling] });
      for (const uid of [child, sibling]) succeeded(await api.get("groups", uid), "reading a group of its scopes");
      rejected(await api.get("groups", top), { code: 5 }, "reading another group");
    }),
    overBoth("no access beyond the bindings", async (world) => {
      const { top, child, sibling } = await tree(world);
      const above = await world.caller("viewer", child, { scope: top });
      succeeded(await above.api.get("groups", child), "reading the group of its binding");
      rejected(await above.api.get("groups", top), { code: 5 }, "reading the group of its scope");
      const elsewhere = await world.caller("viewer", child, { scope: sibling });
      for (const uid of [child, sibling])
        rejected(
          await elsewhere.api.get("groups", uid),
          { code: 5 },
          "reading a group of either the scope or the binding",
        );
      equal(resourcesOf(await elsewhere.api.list("groups"), "groups"), [], "the groups of a List");
    }),
    overBoth("values that are not uids", async (world) => {
      const { uid: identity, subjectToken } = await world.makeAssumable();
      for (const downscope of [{ scope: "nonsense" }, { scopes: [world.group, "nonsense"] }])
        rejected(
          await world.exchange(subjectToken, { identity, ...downscope }),
          { code: 3, field: "scope" },
          "an exchange",
        );
    }),
  ),
  requirement(
    "exchange.cap",
    "`cap` (repeatable, dotted names) downscopes the token to capabilities; an unknown name is 3.",
    overBoth("one value", async (world) => {
      const { api } = await world.caller("owner", world.group, { cap: ["groups.list"] });
      succeeded(await api.get("groups", world.group), "a capability in the downscope");
      rejected(
        await api.update("groups", world.group, { description: "d" }),
        { code: 7 },
        "a capability outside of the downscope",
      );
      equal(resourcesOf(await api.list("identities"), "identities"), [], "a List outside of the downscope");
    }),
    overBoth("several values", async (world) => {
      const { api } = await world.caller("owner", world.group, { cap: ["groups.list", "groups.create"] });
      const { uid } = succeeded(await api.create("groups", world.group, { name: "a" }), "the first capability");
      succeeded(await api.get("groups", uid), "the second capability");
      rejected(await api.delete("groups", uid), { code: 7 }, "a capability outside of the downscope");
    }),
    overBoth("together with a scope", async (world) => {
      const { top, sibling } = await tree(world);
      const { api } = await world.caller("owner", world.group, { cap: ["groups.list"], scope: top });
      succeeded(await api.get("groups", top), "a call that both allow");
      rejected(await api.delete("groups", top), { code: 7 }, "another capability");
      rejected(await api.get("groups", sibling), { code: 5 }, "another group");
    }),
    overBoth("no access beyond the bindings", async (world) => {
      const { api } = await world.caller("viewer", world.group, { cap: ["groups.list", "groups.create"] });
      rejected(await api.create("groups", world.group, { name: "a" }), { code: 7 }, "creating a group");
    }),
    overBoth("an unknown name", async (world) => {
      const { uid: identity, subjectToken } = await world.makeAssumable();
      for (const cap of ["groups.fly", "CAP_IAM_GROUPS_LIST", ""])
        rejected(
          await world.exchange(subjectToken, { identity, cap: ["groups.list", cap] }),
          { code: 3, field: "cap" },
          `cap=${cap}`,
        );
    }),
  ),
  requirement(
    "exchange.aws",
    "An `awsIdentity` is assumed only with a request to AWS STS that a principal has signed: a JWT gets the error of a mismatch.",
    overBoth(async (world) => {
      const awsIdentity = { awsAccount: "123456789012", arn: "a", userId: "u" };
      const { uid } = await world.make("identities", world.group, { name: "a", awsIdentity });
      const subjectToken = await world.issuer.token("u", world.subjectTokenAudience);
      rejected(await world.exchange(subjectToken, { identity: uid }), { code: 7 });
    }),
  ),
  requirement(
    "exchange.errors",
    "Errors at the token exchange have the same body: `code` is the gRPC number.",
    overRest(async (world) => {
      const { uid, subjectToken } = await world.makeAssumable();
      const right = `/sts/exchange?${parametersOf(world, uid)}`;
      const tokens = world.tokenServiceOverRest(subjectToken);
      const responses = [
        [16, 401, await tokens.as(undefined).send("GET", right)],
        [16, 401, await tokens.as("nonsense").send("POST", right)],
        [3, 400, await tokens.send("GET", "/sts/exchange")],
        [7, 403, await tokens.as(await world.issuer.token("another", "one")).send("GET", right)],
      ] as const;
      for (const [code, status, response] of responses) {
        equal(response.status, status, `the HTTP status of code ${code}`);
        has(JSON.parse(response.text), { code }, "the body");
        matches((JSON.parse(response.text) as { message: unknown }).message, /./, "message");
      }
    }),
  ),
  requirement(
    "exchange.no-store",
    "Responses have `Cache-Control: no-store`.",
    overRest(async (world) => {
      const { uid, subjectToken } = await world.makeAssumable();
      const path = `/sts/exchange?${parametersOf(world, uid)}`;
      const tokens = world.tokenServiceOverRest(subjectToken);
      const given = await tokens.send("GET", path);
      const { refreshToken } = JSON.parse(given.text) as { refreshToken: string };
      const responses = {
        "an exchange": given,
        "a failed exchange": await tokens.as(undefined).send("GET", path),
        "a refresh": await tokens.as(refreshToken).send("POST", "/sts/exchange_refresh_token"),
      };
      for (const [what, { headers }] of Object.entries(responses))
        matches(headers["cache-control"], /\bno-store\b/, `Cache-Control of ${what}`);
    }),
  ),
  requirement(
    "exchange.host",
    "URLs come from settings, never from a Host header.",
    overRest(async (world) => {
      const { uid, subjectToken } = await world.makeAssumable();
      const headers = { host: "other.invalid", "x-forwarded-host": "other.invalid" };
      const tokens = world.tokenServiceOverRest(subjectToken);
      const response = await tokens.send("GET", `/sts/exchange?${parametersOf(world, uid)}`, { headers });
      // A proxy in front of the platform can reject the unknown host, but no token may contain it.
      if (response.status === 200)
        equal(decodeJwt(tokenOf(response, "an exchange with another Host header")).iss, world.target.authUrl, "iss");
      const parameters = new URLSearchParams({ aud: "http://other.invalid", identity: uid }).toString();
      const other = await tokens.send("GET", `/sts/exchange?${parameters}`, { headers });
      equal(other.status === 200, false, "whether the header's host is accepted as the audience");
    }),
  ),
  requirement(
    "exchange.own-address",
    "The platform also serves the token service on its own address, so that `{auth_url}` can equal `{base_url}`.",
    overRest(async (world) => {
      const { uid, subjectToken } = await world.makeAssumable();
      const response = await world.rest.as(subjectToken).send("GET", `/sts/exchange?${parametersOf(world, uid)}`);
      equal(decodeJwt(tokenOf(response, "an exchange at {base_url}")).iss, world.target.authUrl, "iss");
    }),
  ),
  untested(
    "exchange.elsewhere",
    "`{auth_url}` can be another host than `{base_url}`.",
    "a platform that has one address conforms too; for another host, set --auth-url",
  ),
]);
