import { decodeJwt } from "jose";
import { equal, matches, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";

/** Section 4.9. */
export const tokenExchange: Chapter = {
  title: "4.9 Token exchange",
  origin: "contract",
  sentences: [
    {
      id: "4.9.exchange",
      says: "GET `{auth_url}/sts/exchange`: query `aud` (the API audience), `identity` (uid of the assumable identity); header `Authorization: Bearer <OIDC_TOKEN>`; answers a JSON object with field `token` (the API token).",
      cases: [
        overRest(async (world) => {
          const { uid, incoming } = await world.makeAssumable();
          await world.bind(world.group, uid, await world.builtInRole("viewer"));
          const query = new URLSearchParams({ aud: world.target.audience, identity: uid }).toString();
          const answer = await world.tokensOverRest(incoming).send("GET", `/sts/exchange?${query}`);
          equal(answer.status, 200, "the HTTP status");
          const { token } = JSON.parse(answer.text) as { token: string };
          matches(token, /./, "token");
          succeeded(await world.as(token).get("groups", world.group), "a call with that token");
        }),
      ],
    },
    {
      id: "4.9.lifetime",
      says: "The exchanged API token is valid for one hour.",
      cases: [
        overBoth(async (world) => {
          const { uid: identity, incoming } = await world.makeAssumable();
          const { token } = succeeded(await world.exchange(incoming, { identity }));
          const { iat = 0, exp = 0 } = decodeJwt(String(token));
          equal(exp - iat, 3_600, "the seconds between the token's iat and exp");
        }),
      ],
    },
  ],
};
