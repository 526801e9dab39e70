import { exchange } from "../../client/token-service.ts";
import { equal, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";

const unauthenticated = { code: 16, reason: "UNAUTHENTICATED" } as const;

/** Sections 4 and 5. */
export const authentication: Chapter = {
  title: "5 Authentication",
  origin: "contract",
  sentences: [
    {
      id: "5.1",
      says: "Every request sends the header `Authorization: Bearer <ACCESS_TOKEN>`.",
      cases: [
        overBoth("every method needs it", async (world) => {
          const uid = await world.makeGroup();
          for (const api of [world.as(undefined), world.as("nonsense"), world.as("a.b.c")]) {
            refused(await api.list("groups"), unauthenticated, "a List");
            refused(await api.get("groups", uid), unauthenticated, "a Get");
            refused(await api.create("groups", uid, { name: "a" }), unauthenticated, "a Create");
            refused(await api.update("groups", uid, { name: "a" }), unauthenticated, "an Update");
            refused(await api.delete("groups", uid), unauthenticated, "a Delete");
          }
          succeeded(await world.api.get("groups", uid), "reading the group, which is there still");
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
      ],
    },
    {
      id: "5.2",
      says: "A user obtains the token by logging in with the command-line tool. The browser flow is interactive.",
      untried: "a person is needed",
    },
    {
      id: "5.3",
      says: "A workload obtains the token by exchanging an OIDC token for an assumed identity. The identity's issuer and subject decide which tokens may assume it.",
      cases: [
        overBoth(async (world) => {
          const { uid: identity, subject, incoming } = await world.makeAssumable();
          const ask = (token: string) => world.tokens(token).call(exchange, { aud: [world.target.audience], identity });
          succeeded(await ask(incoming), "the exchange of a token of its issuer and subject");
          const audience = world.incomingAudience;
          const others = {
            subject: await world.issuer.token(`${subject} too`, audience),
            issuer: await world.issuer.token(subject, audience, { iss: "https://other.invalid" }),
          };
          for (const [what, token] of Object.entries(others))
            refused(await ask(token), { code: 7 }, `the exchange of a token of another ${what}`);
        }),
      ],
    },
    {
      id: "5.4.access",
      says: "An identity's access comes from role bindings in a group.",
      cases: [
        overBoth(async (world) => {
          const [bound, other] = [await world.makeGroup(), await world.makeGroup()];
          const { api, identity } = await world.caller("viewer", bound);
          succeeded(await api.get("groups", bound), "reading the group of its binding");
          refused(await api.get("groups", other), { code: 5 }, "reading another group");
          refused(await api.create("groups", bound, { name: "a" }), { code: 7 }, "what its role does not give");
          await world.bind(bound, identity, await world.builtInRole("owner"));
          succeeded(await api.create("groups", bound, { name: "a" }), "what a further role gives");
        }),
      ],
    },
    {
      id: "5.4.scope",
      says: "Scope in List calls is set with `uidp.descendants_of` and `uidp.children_of`.",
      cases: [
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
      ],
    },
    {
      id: "5.5",
      says: "The API audience of the tokens is the base address `{base_url}`.",
      cases: [
        overBoth(async (world) => {
          const { api } = await world.caller("viewer");
          succeeded(await api.get("groups", world.group), "a call with a token for that audience");
          const { uid: identity, incoming } = await world.makeAssumable();
          const asked = { aud: ["https://other.invalid"], identity };
          refused(await world.tokens(incoming).call(exchange, asked), { code: 3 }, "a token for another audience");
          refused(await world.as(incoming).list("groups"), { code: 16 }, "a call with the token of another issuer");
        }),
      ],
    },
    {
      id: "5.6",
      says: "Permissions required per operation: not shown.",
      untried: "left open by the contract: see access",
    },
    {
      id: "5.7",
      says: "Lifetime of a token obtained by interactive login: not shown.",
      untried: "left open by the contract; a person is needed",
    },
  ],
};
