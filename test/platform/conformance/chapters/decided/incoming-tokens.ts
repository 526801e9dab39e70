import { createHmac } from "node:crypto";
import { type CryptoKey, exportSPKI, importJWK, type JWK } from "jose";
import type { Failure } from "../../client/api.ts";
import { equal, holds, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth } from "../../sentence.ts";
import { StaticIssuer } from "../../static-issuer.ts";
import type { World } from "../../world.ts";

const now = () => Math.floor(Date.now() / 1_000);
const encoded = (json: object) => Buffer.from(JSON.stringify(json)).toString("base64url");
const parts = (token: string) => token.split(".") as [header: string, payload: string, signature: string];

/** What is answered where there is no such identity: the one phrase. */
async function unknown(world: World): Promise<Failure> {
  const incoming = await world.issuer.token(world.name(), world.incomingAudience);
  const missing = `${world.group}/${"0".repeat(16)}`;
  return refused(await world.exchange(incoming, { identity: missing }), { code: 7 }, "one for an unknown identity");
}

/**
 * Whether a token may assume an identity, as far as what it says goes: one that may is refused for its time, in other
 * words. So no issuer is needed that the platform could reach.
 */
async function fits(world: World, claimMatch: object, claims: Readonly<Record<string, unknown>>): Promise<boolean> {
  const { uid: identity } = await world.make("identities", world.group, { name: world.name(), claimMatch });
  const expired = await world.issuer.token("a subject", world.incomingAudience, { exp: now() - 600, ...claims });
  const failure = refused(await world.exchange(expired, { identity }), { code: 7 }, "one with an expired token");
  return failure.message !== (await unknown(world)).message;
}

/** Refused with code 7, and in other words than the one phrase. */
async function named(world: World, identity: string, token: string, what: string): Promise<Failure> {
  const failure = refused(await world.exchange(token, { identity }), { code: 7 }, what);
  const { message } = await unknown(world);
  holds(failure.message !== message, `the message of ${what}`, `another one than "${message}"`, failure.message);
  return failure;
}

/** Tokens without a valid signature of the identity's issuer, each with what a valid one says. */
async function badlySigned(world: World, subject: string): Promise<Readonly<Record<string, string>>> {
  const { issuer, incomingAudience: audience } = world;
  const valid = await issuer.token(subject, audience);
  const [header, payload, signature] = parts(valid);
  const jwks = await issuer.keys();
  const { keys } = JSON.parse(jwks) as { keys: [JWK] };
  const pem = await exportSPKI((await importJWK(keys[0])) as CryptoKey);
  const symmetric = (secret: string) => {
    const text = `${encoded({ alg: "HS256", kid: "1" })}.${payload}`;
    return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
  };
  return {
    "another key of the same name": await new StaticIssuer().token(subject, audience),
    "another text than what was signed": `${header}.${encoded({ iss: issuer.issuer, sub: subject, aud: audience, exp: now() + 900 })}.${signature}`,
    "no signature": `${header}.${payload}.`,
    "no algorithm": `${encoded({ alg: "none" })}.${payload}.`,
    "no algorithm, and a signature": `${encoded({ alg: "None", kid: "1" })}.${payload}.${signature}`,
    "the public key as a secret": symmetric(pem),
    "the key set as a secret": symmetric(jwks),
    "another algorithm than the key's": `${encoded({ alg: "RS256", kid: "1" })}.${payload}.${signature}`,
  };
}

/** Which tokens of other issuers are taken. */
export const incomingTokens: Chapter = {
  title: "Incoming tokens",
  origin: "decided",
  sentences: [
    {
      id: "incoming.bearer",
      says: "No bearer, or one that is no token, is code 16.",
      cases: [
        overBoth(async (world) => {
          const { uid: identity } = await world.makeAssumable();
          for (const incoming of [undefined, "nonsense", "a.b.c", `${encoded({ alg: "ES256" })}.${encoded({})}.AAAA`])
            refused(await world.exchange(incoming, { identity }), { code: 16, reason: "UNAUTHENTICATED" });
        }),
      ],
    },
    {
      id: "incoming.signature",
      says: "It must have a valid signature from its issuer's keys (or the identity's static keys): no other key, algorithm `none`, or a public key as a secret. A bad one is named (7).",
      cases: [
        overBoth(async (world) => {
          const { uid: identity, subject, incoming } = await world.makeAssumable();
          for (const [what, token] of Object.entries(await badlySigned(world, subject)))
            await named(world, identity, token, `a token with ${what}`);
          succeeded(await world.exchange(incoming, { identity }), "a token with a valid signature");
        }),
      ],
    },
    {
      id: "incoming.expired",
      says: "It must not be expired. A bad time is named (7).",
      cases: [
        overBoth(async (world) => {
          const { uid: identity, subject } = await world.makeAssumable();
          for (const exp of [now() - 600, 0, undefined]) {
            const token = await world.issuer.token(subject, world.incomingAudience, { exp });
            await named(world, identity, token, `a token with exp=${exp}`);
          }
        }),
      ],
    },
    {
      id: "incoming.future",
      says: "It must not be from the future beyond 60 s.",
      cases: [
        overBoth(async (world) => {
          const { uid: identity, subject } = await world.makeAssumable();
          const ask = async (claims: object) => world.issuer.token(subject, world.incomingAudience, { ...claims });
          for (const claims of [{ iat: now() + 300 }, { nbf: now() + 300 }])
            await named(world, identity, await ask(claims), `a token with ${Object.keys(claims).join()} in 300 s`);
          // Half of what is tolerated: this machine's clock and the platform's may differ by the rest.
          const soon = await ask({ iat: now() + 30, nbf: now() + 30 });
          succeeded(await world.exchange(soon, { identity }), "one from 30 s ahead");
        }),
      ],
    },
    {
      id: "incoming.match",
      says: "It must match the identity: issuer, subject, audience, and every claim that the identity names.",
      cases: [
        overBoth("values", async (world) => {
          const { issuer } = world.issuer;
          const right = { issuer, subject: "a subject", audience: "an audience", claims: { team: "red" } };
          const says = { aud: ["another", "an audience"], team: "red" };
          equal(await fits(world, right, says), true, "whether one fits that says all of it");
          for (const [field, value] of Object.entries({
            issuer: `${issuer}/`,
            subject: "a subject of another",
            audience: "audience",
            claims: { team: "red", level: "3" },
          }))
            equal(await fits(world, { ...right, [field]: value }, says), false, `whether another ${field} fits`);
          for (const team of ["blue", ["red"], undefined])
            equal(await fits(world, right, { ...says, team }), false, `whether team=${JSON.stringify(team)} fits`);
        }),
        overBoth("patterns, which match the whole value", async (world) => {
          const right = {
            issuerPattern: "https://conformance\\.[a-z]+",
            subjectPattern: "a s.*",
            audiencePattern: "[a-z]+-[0-9]+",
            claimPatterns: { ref: "refs/(heads|tags)/v.*" },
          };
          const says = { aud: "audience-1", ref: "refs/tags/v1" };
          equal(await fits(world, right, says), true, "whether one fits that says all of it");
          const partial = {
            issuerPattern: "conformance",
            subjectPattern: "a s",
            audiencePattern: "[a-z]+",
            claimPatterns: { ref: "refs/(heads|tags)" },
          };
          for (const [field, value] of Object.entries(partial))
            equal(
              await fits(world, { ...right, [field]: value }, says),
              false,
              `whether a part of what ${field} must match fits`,
            );
        }),
      ],
    },
    {
      id: "incoming.default-audience",
      says: "The audience that an identity expects by default is the host name of `{auth_url}` without port.",
      cases: [
        overBoth(async (world) => {
          const claimMatch = { issuer: world.issuer.issuer, subject: "a subject" };
          const { hostname } = new URL(world.target.authUrl);
          equal(await fits(world, claimMatch, { aud: hostname }), true, `whether ${hostname} is expected`);
          for (const aud of [world.target.authUrl, `${hostname}:1`, "elsewhere", undefined])
            equal(await fits(world, claimMatch, { aud }), false, `whether ${aud} is expected`);
        }),
      ],
    },
    {
      id: "incoming.one-phrase",
      says: "An unknown identity and any mismatch of issuer, subject, audience or claims get one and the same phrase (7).",
      cases: [
        overBoth(async (world) => {
          const { uid: identity, subject } = await world.makeAssumable();
          const claims = { team: "red" };
          const claimMatch = { issuer: world.issuer.issuer, subject, claims };
          const { uid: claiming } = await world.make("identities", world.group, { name: world.name(), claimMatch });
          const token = (over: object) => world.issuer.token(subject, world.incomingAudience, { ...over });
          const mismatches = [
            ["issuer", identity, await token({ iss: "https://other.invalid" })],
            ["subject", identity, await token({ sub: "another" })],
            ["audience", identity, await token({ aud: "another" })],
            ["claims", claiming, await token({ team: "blue" })],
            ["subject, and of time", identity, await token({ sub: "another", exp: 1 })],
          ] as const;
          const expected = await unknown(world);
          for (const [what, uid, incoming] of mismatches)
            equal(
              refused(await world.exchange(incoming, { identity: uid }), { code: 7 }),
              expected,
              `what a mismatch of ${what} is answered`,
            );
        }),
      ],
    },
    {
      id: "incoming.repeats-nothing",
      says: "No message repeats a token or anything fetched.",
      cases: [
        overBoth(async (world) => {
          const { uid: identity, subject } = await world.makeAssumable();
          const tokens = [
            ...Object.values(await badlySigned(world, subject)),
            await world.issuer.token(subject, world.incomingAudience, { exp: 1 }),
            await world.issuer.token("someone else", world.incomingAudience),
          ];
          for (const token of tokens) {
            const text = JSON.stringify(refused(await world.exchange(token, { identity }), { code: 7 }));
            const [, payload, signature] = parts(token);
            const repeats = [payload, signature, subject].some((part) => part !== "" && text.includes(part));
            equal(repeats, false, "whether the error repeats something of the token");
          }
        }),
      ],
    },
    {
      id: "incoming.own-issuer",
      says: "An incoming token whose issuer is `{auth_url}` is refused, also where a pattern would match it.",
      cases: [
        overBoth("an API token", async (world) => {
          const { token } = await world.caller("owner");
          const claimMatch = { issuerPattern: ".*", subjectPattern: ".*", audiencePattern: ".*" };
          const { uid: identity } = await world.make("identities", world.group, { name: "any", claimMatch });
          equal(refused(await world.exchange(token, { identity }), { code: 7 }), await unknown(world), "the refusal");
        }),
        overBoth("static keys that say so", async (world) => {
          const { authUrl: issuer } = world.target;
          const audiences = [world.incomingAudience];
          const staticKeys = { issuer, subject: "s", issuerKeys: await world.issuer.keys(), audiences };
          const made = await world.api.create("identities", world.group, { name: "a", staticKeys });
          if (!made.ok) return void refused(made, { code: 3 }, "making such an identity");
          const incoming = await world.issuer.token("s", world.incomingAudience, { iss: issuer });
          refused(await world.exchange(incoming, { identity: made.body.uid }), { code: 7 }, "an exchange");
        }),
      ],
    },
    {
      id: "incoming.not-public",
      says: "Issuers are fetched over https; addresses that are not public are refused, unless the issuer is named by a setting.",
      cases: [
        overBoth(async (world) => {
          const hosts = [
            "127.0.0.1:9",
            "[::1]:9",
            "10.0.0.1",
            "169.254.169.254",
            "[::ffff:127.0.0.1]:9",
            "localhost:9",
          ];
          for (const issuer of [...hosts.map((host) => `https://${host}`), "http://issuer.example.com"]) {
            const claimMatch = { issuer, subject: "s" };
            const made = await world.api.create("identities", world.group, { name: world.name(), claimMatch });
            if (!made.ok) refused(made, { code: 3 }, `making an identity of ${issuer}`);
            else {
              const incoming = await world.issuer.token("s", world.incomingAudience, { iss: issuer });
              await named(world, made.body.uid, incoming, `the exchange of a token of ${issuer}`);
            }
          }
        }),
      ],
    },
    {
      id: "incoming.fetch",
      says: "Only the requested identity's issuer is fetched, after issuer, subject and audience matched; the document's `issuer` must equal it; no redirects; a size cap and a time limit; the address that was checked is the one that is connected to. The same for `jwks_uri`.",
      untried: "it needs an issuer that the platform can reach and that it trusts; our own platform's tests have some",
    },
  ],
};
