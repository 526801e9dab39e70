import { exchange } from "../../client/token-service.ts";
import { equal, rejected, succeeded } from "../../expect.ts";
import { contractSection, overBoth, overRest, requirement, untested } from "../../requirement.ts";

const unauthenticated = { code: 16, reason: "UNAUTHENTICATED" } as const;

/** Sections 4 and 5. */
export const authentication = contractSection("5 Authentication", [
  requirement(
    "5.1",
    "Every request sends the header `Authorization: Bearer <ACCESS_TOKEN>`.",
    overBoth("every method", async (world) => {
      const uid = await world.makeGroup();
      for (const api of [world.as(undefined), world.as("nonsense"), world.as("a.b.c")]) {
        rejected(await api.list("groups"), unauthenticated, "a List");
        rejected(await api.get("groups", uid), unauthenticated, "a Get");
        rejected(await api.create("groups", uid, { name: "a" }), unauthenticated, "a Create");
        rejected(await api.update("groups", uid, { name: "a" }), unauthenticated, "an Update");
        rejected(await api.delete("groups", uid), unauthenticated, "a Delete");
      }
      succeeded(await world.api.get("groups", uid), "reading the group afterwards");
    }),
    overRest("another scheme than Bearer", async (world) => {
      for (const authorization of [world.target.token, `Basic ${world.target.token}`]) {
        const { status } = await world.rest.send("GET", "/iam/v2beta1/groups", { headers: { authorization } });
        equal(status, 401, "the HTTP status");
      }
    }),
    overRest("the scheme in any case (RFC 9110, 11.1)", async (world) => {
      const headers = { authorization: `bearer ${world.target.token}` };
      const { status } = await world.rest.send("GET", "/iam/v2beta1/groups?page_size=1", { headers });
      equal(status, 200, "the HTTP status");
    }),
  ),
  untested(
    "5.2",
    "A user obtains the token by logging in with the command-line tool. The browser flow is interactive.",
    "the login needs a person; see login for the endpoints that a client without one can call",
  ),
  requirement(
    "5.3",
    "A workload obtains the token by exchanging an OIDC token for an assumed identity. The identity's issuer and subject decide which tokens may assume it.",
    overBoth(async (world) => {
      const { uid: identity, subject, subjectToken } = await world.makeAssumable();
      const exchangeOf = (token: string) =>
        world.tokenService(token).call(exchange, { aud: [world.target.audience], identity });
      succeeded(await exchangeOf(subjectToken), "the exchange of a token of its issuer and subject");
      const audience = world.subjectTokenAudience;
      const others = {
        subject: await world.issuer.token(`${subject} too`, audience),
        issuer: await world.issuer.token(subject, audience, { iss: "https://other.invalid" }),
      };
      for (const [what, token] of Object.entries(others))
        rejected(await exchangeOf(token), { code: 7 }, `the exchange of a token of another ${what}`);
    }),
  ),
  requirement(
    "5.4.access",
    "An identity's access comes from role bindings in a group.",
    overBoth(async (world) => {
      const [bound, other] = [await world.makeGroup(), await world.makeGroup()];
      const { api, identity } = await world.caller("viewer", bound);
      succeeded(await api.get("groups", bound), "reading the group of its binding");
      rejected(await api.get("groups", other), { code: 5 }, "reading another group");
      rejected(await api.create("groups", bound, { name: "a" }), { code: 7 }, "a Create without groups.create");
      await world.bind(bound, identity, await world.builtInRole("owner"));
      succeeded(await api.create("groups", bound, { name: "a" }), "the same Create with another role");
    }),
  ),
  requirement(
    "5.4.scope",
    "Scope in List calls is set with `uidp.descendants_of` and `uidp.children_of`.",
    overBoth(async (world) => {
      const bound = await world.makeGroup();
      const child = await world.makeGroup(bound);
      const deep = await world.makeGroup(child);
      const { api } = await world.caller("viewer", bound);
      const uids = async (uidp: object) =>
        (succeeded(await api.list("groups", { uidp }))["groups"] as { uid: string }[]).map(({ uid }) => uid);
      equal(await uids({ descendantsOf: bound }), [child, deep], "the descendants");
      equal(await uids({ childrenOf: bound }), [child], "the children");
    }),
  ),
  requirement(
    "5.5",
    "The API audience of the tokens is the base address `{base_url}`.",
    overBoth(async (world) => {
      const { api } = await world.caller("viewer");
      succeeded(await api.get("groups", world.group), "a call with a token for that audience");
      const { uid: identity, subjectToken } = await world.makeAssumable();
      const parameters = { aud: ["https://other.invalid"], identity };
      rejected(
        await world.tokenService(subjectToken).call(exchange, parameters),
        { code: 3 },
        "a token for another audience",
      );
      rejected(await world.as(subjectToken).list("groups"), { code: 16 }, "a call with the token of another issuer");
    }),
  ),
  untested(
    "5.6",
    "Permissions required per operation: not shown.",
    "the contract leaves it open; see access and permissions",
  ),
  untested(
    "5.7",
    "Lifetime of a token obtained by interactive login: not shown.",
    "the contract leaves it open; the login needs a person",
  ),
]);
