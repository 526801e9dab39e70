import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import { equal, has, holds, matches } from "../../expect.ts";
import { decidedSection, overBoth, overRest, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

const wellKnown = "/.well-known/openid-configuration";

/** Fetches a JSON document from the token service, without a token. */
async function document<T>(world: World, path: string, headers: Readonly<Record<string, string>> = {}): Promise<T> {
  const response = await world.tokenServiceOverRest(undefined).send("GET", path, { headers });
  equal(response.status, 200, `the HTTP status of GET ${path}`);
  matches(response.headers["content-type"], /^application\/([a-z-]+\+)?json(;|$)/, `Content-Type of ${path}`);
  return JSON.parse(response.text) as T;
}

/** Fetches the published keys as a client of OpenID Connect does: through the discovery document. */
async function publishedKeys(world: World): Promise<JSONWebKeySet> {
  const { authUrl } = world.target;
  const { jwks_uri: address } = await document<{ jwks_uri: string }>(world, wellKnown);
  holds(address.startsWith(`${authUrl}/`), "jwks_uri", `an address at ${authUrl}`, address);
  return document<JSONWebKeySet>(world, address.slice(authUrl.length));
}

/** The discovery document and the signing keys of the token service. */
export const signingKeys = decidedSection("Signing keys of the token service", [
  requirement(
    "keys.discovery",
    "The keys are discovered at `{auth_url}/.well-known/openid-configuration`, whose `issuer` is `{auth_url}`.",
    overRest(async (world) => {
      const { authUrl } = world.target;
      const configuration = await document<Record<string, unknown>>(world, wellKnown);
      has(configuration, { issuer: authUrl }, "the discovery document");
      for (const field of ["response_types_supported", "subject_types_supported"])
        equal(Array.isArray(configuration[field]), true, `whether ${field} is a list (OpenID Connect Discovery, 3)`);
    }),
  ),
  requirement(
    "keys.public",
    "Only public keys are published.",
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
        holds(key.kty !== "oct", "kty", "an asymmetric key", key.kty);
        matches(key.kid, /./, "kid");
      }
    }),
  ),
  requirement(
    "keys.signature",
    "An API token is signed by a published key, whose `kid` is in its header.",
    overBoth(async (world) => {
      const { token } = await world.caller("viewer");
      const keys = await publishedKeys(world);
      const { kid } = decodeProtectedHeader(token);
      equal(keys.keys.filter((key) => key.kid === kid).length, 1, `the number of published keys with kid ${kid}`);
      const { authUrl: issuer, audience } = world.target;
      const { payload } = await jwtVerify(token, createLocalJWKSet(keys), { issuer, audience });
      equal(typeof payload.sub, "string", "the type of sub");
    }),
  ),
  requirement(
    "keys.host",
    "The URLs in the discovery document come from settings, never from a Host header.",
    overRest(async (world) => {
      const headers = { host: "other.invalid", "x-forwarded-host": "other.invalid", "x-forwarded-proto": "ftp" };
      const { status, text } = await world.tokenServiceOverRest(undefined).send("GET", wellKnown, { headers });
      // A proxy in front of the platform can reject the unknown host.
      equal(text.includes("other.invalid") && status === 200, false, "whether the document contains the header's host");
    }),
  ),
  untested(
    "keys.rotation",
    "A new signing key is published before it is used, and an old one is kept until its last token has expired.",
    "a run is shorter than the lifetime of a key; covered by the tests of this project's platform, which advance its clock",
  ),
]);
