import { decodeJwt } from "jose";
import { equal, matches, succeeded } from "../../expect.ts";
import { contractSection, overBoth, overRest, requirement } from "../../requirement.ts";

/** Section 4.9. */
export const tokenExchange = contractSection("4.9 Token exchange", [
  requirement(
    "4.9.exchange",
    "GET `{auth_url}/sts/exchange`: query `aud` (the API audience), `identity` (uid of the assumable identity); header `Authorization: Bearer <OIDC_TOKEN>`; returns a JSON object with field `token` (the API token).",
    overRest(async (world) => {
      const { uid, subjectToken } = await world.makeAssumable();
      await world.bind(world.group, uid, await world.builtInRole("viewer"));
      const query = new URLSearchParams({ aud: world.target.audience, identity: uid }).toString();
      const response = await world.tokenServiceOverRest(subjectToken).send("GET", `/sts/exchange?${query}`);
      equal(response.status, 200, "the HTTP status");
      const { token } = JSON.parse(response.text) as { token: string };
      matches(token, /./, "token");
      succeeded(await world.as(token).get("groups", world.group), "a call with that token");
    }),
  ),
  requirement(
    "4.9.lifetime",
    "The exchanged API token is valid for one hour.",
    overBoth(async (world) => {
      const { uid: identity, subjectToken } = await world.makeAssumable();
      const { token } = succeeded(await world.exchange(subjectToken, { identity }));
      const { iat = 0, exp = 0 } = decodeJwt(String(token));
      equal(exp - iat, 3_600, "the seconds between the token's iat and exp");
    }),
  ),
]);
