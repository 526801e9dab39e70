import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import { equal, has, holds, matches } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";
import type { World } from "../../world.ts";

const wellKnown = "/.well-known/openid-configuration";

/** A document of the token service, which nobody needs a token for. */
async function document<T>(world: World, path: string, headers: Readonly<Record<string, string>> = {}): Promise<T> {
  const answer = await world.tokensOverRest(undefined).send("GET", path, { headers });
  equal(answer.status, 200, `the HTTP status of GET ${path}`);
  matches(answer.headers["content-type"], /^application\/([a-z-]+\+)?json(;|$)/, `Content-Type of ${path}`);
  return JSON.parse(answer.text) as T;
}

/** The published keys, found as a client of OpenID Connect finds them. */
async function publishedKeys(world: World): Promise<JSONWebKeySet> {
  const { authUrl } = world.target;
  const { jwks_uri: address } = await document<{ jwks_uri: string }>(world, wellKnown);
  holds(address.startsWith(`${authUrl}/`), "jwks_uri", `an address at ${authUrl}`, address);
  return document<JSONWebKeySet>(world, address.slice(authUrl.length));
}

/** The discovery document and the keys of the token service. */
export const signingKeys: Chapter = {
  title: "Keys of the token service",
  origin: "decided",
  sentences: [
    {
      id: "keys.discovery",
      says: "Its keys are at `{auth_url}/.well-known/openid-configuration`, whose `issuer` is `{auth_url}`.",
      cases: [
        overRest(async (world) => {
          const { authUrl } = world.target;
          const configuration = await document<Record<string, unknown>>(world, wellKnown);
          has(configuration, { issuer: authUrl }, "the discovery document");
          for (const field of ["response_types_supported", "subject_types_supported"])
            equal(
              Array.isArray(configuration[field]),
              true,
              `whether ${field} is a list (OpenID Connect Discovery, 3)`,
            );
        }),
      ],
    },
    {
      id: "keys.public",
      says: "What is published of a key is public.",
      cases: [
        overRest(async (world) => {
          const { keys } = await publishedKeys(world);
          holds(keys.length > 0, "keys", "at least one", keys);
          const secret = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
          for (const key of keys) {
            equal(
              Object.keys(key).filter((member) => secret.includes(member)),
              [],
              "the secret members of a key",
            );
            holds(key.kty !== "oct", "kty", "no symmetric key", key.kty);
            matches(key.kid, /./, "kid");
          }
        }),
      ],
    },
    {
      id: "keys.signature",
      says: "An API token is signed by a published key, which its header names.",
      cases: [
        overBoth(async (world) => {
          const { token } = await world.caller("viewer");
          const keys = await publishedKeys(world);
          const { kid } = decodeProtectedHeader(token);
          equal(keys.keys.filter((key) => key.kid === kid).length, 1, `how many published keys are named ${kid}`);
          const { authUrl: issuer, audience } = world.target;
          const { payload } = await jwtVerify(token, createLocalJWKSet(keys), { issuer, audience });
          equal(typeof payload.sub, "string", "the type of sub");
        }),
      ],
    },
    {
      id: "keys.host",
      says: "The addresses in it come from settings, never from a Host header.",
      cases: [
        overRest(async (world) => {
          const headers = { host: "other.invalid", "x-forwarded-host": "other.invalid", "x-forwarded-proto": "ftp" };
          const { status, text } = await world.tokensOverRest(undefined).send("GET", wellKnown, { headers });
          // A proxy before the platform may know no such host.
          equal(text.includes("other.invalid") && status === 200, false, "whether the document has the header's host");
        }),
      ],
    },
    {
      id: "keys.rotation",
      says: "A new signing key is published before it is used, and an old one kept until its last token has expired.",
      untried: "a run does not last as long as a key; our own platform's tests move its clock",
    },
  ],
};
