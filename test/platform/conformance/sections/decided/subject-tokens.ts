import { createHmac, createPublicKey } from "node:crypto";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { Failure } from "../../client/api.ts";
import { equal, holds, matches, rejected, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, requirement, untested } from "../../requirement.ts";
import { StaticIssuer } from "#test/support/static-issuer.ts";
import type { World } from "../../world.ts";

const now = () => Math.floor(Date.now() / 1_000);
const base64url = (json: object) => Buffer.from(JSON.stringify(json)).toString("base64url");
const parts = (token: string) => token.split(".") as [header: string, payload: string, signature: string];

/** The error of an exchange for an unknown identity. */
async function unknownIdentity(world: World): Promise<Failure> {
  const subjectToken = await world.issuer.token(world.name(), world.subjectTokenAudience);
  const missing = `${world.group}/${"0".repeat(16)}`;
  return rejected(
    await world.exchange(subjectToken, { identity: missing }),
    { code: 7 },
    "an exchange for an unknown identity",
  );
}

/**
 * Whether the claims of a token match an identity. The token has expired: if it matches, the error names the time, and
 * otherwise it is the one for an unknown identity. The platform therefore never contacts the issuer.
 */
async function claimsMatch(
  world: World,
  claimMatch: object,
  claims: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const { uid: identity } = await world.make("identities", world.group, { name: world.name(), claimMatch });
  const expired = await world.issuer.token("a subject", world.subjectTokenAudience, { exp: now() - 600, ...claims });
  const failure = rejected(await world.exchange(expired, { identity }), { code: 7 }, "an exchange of an expired token");
  return failure.message !== (await unknownIdentity(world)).message;
}

/** An expired token, whose claims a case writes as JSON. Its signature does not matter: the time is judged before it. */
function rawToken(world: World, claims: object, change: (json: string) => string): string {
  const payload = { iss: world.issuer.issuer, sub: "a subject", iat: now() - 900, exp: now() - 600, ...claims };
  const text = Buffer.from(change(JSON.stringify(payload))).toString("base64url");
  return `${base64url({ alg: "ES256", kid: "1" })}.${text}.${Buffer.alloc(64).toString("base64url")}`;
}

/** Checks that an exchange fails with code 7 and another message than for an unknown identity. */
async function isRejectedByName(world: World, identity: string, token: string, what: string): Promise<Failure> {
  const failure = rejected(await world.exchange(token, { identity }), { code: 7 }, what);
  const { message } = await unknownIdentity(world);
  holds(failure.message !== message, `the message of ${what}`, `a different one than "${message}"`, failure.message);
  return failure;
}

/** Tokens with the claims of a valid one, but without a valid signature of the identity's issuer. */
async function badlySigned(world: World, subject: string): Promise<Readonly<Record<string, string>>> {
  const { issuer, subjectTokenAudience: audience } = world;
  const valid = await issuer.token(subject, audience);
  const [header, payload, signature] = parts(valid);
  const jwks = await issuer.keys();
  const { keys } = JSON.parse(jwks) as { keys: [JWK] };
  const publicKey = createPublicKey({ key: keys[0], format: "jwk" });
  const symmetric = (bits: number, secret: string | Buffer) => {
    const text = `${base64url({ alg: `HS${bits}`, kid: "1" })}.${payload}`;
    return `${text}.${createHmac(`sha${bits}`, secret).update(text).digest("base64url")}`;
  };
  const secrets = {
    "public key": publicKey.export({ type: "spki", format: "pem" }),
    "public key in DER": publicKey.export({ type: "spki", format: "der" }),
    "key set": jwks,
  };
  const withSecrets = [256, 384, 512].flatMap((bits) =>
    Object.entries(secrets).map(([what, secret]) => [
      `the ${what} as the secret of HS${bits}`,
      symmetric(bits, secret),
    ]),
  );
  const unsigned = ["none", "None", "NONE", ""].flatMap((alg) => {
    const text = `${base64url({ alg, kid: "1" })}.${payload}`;
    return [
      [`the algorithm "${alg}"`, `${text}.`],
      [`the algorithm "${alg}" and a signature`, `${text}.${signature}`],
    ];
  });
  return {
    "the signature of another key with the same kid": await new StaticIssuer().token(subject, audience),
    "the signature of another payload": `${header}.${base64url({ iss: issuer.issuer, sub: subject, aud: audience, exp: now() + 900 })}.${signature}`,
    "no signature": `${header}.${payload}.`,
    "another algorithm than the key's": `${base64url({ alg: "RS256", kid: "1" })}.${payload}.${signature}`,
    ...(Object.fromEntries([...unsigned, ...withSecrets]) as Readonly<Record<string, string>>),
  };
}

/** The subject tokens that an exchange accepts. */
export const subjectTokens = decidedSection("Subject tokens", [
  requirement(
    "subject-token.bearer",
    "A missing bearer, or one that is not a token, is code 16.",
    overBoth(async (world) => {
      const { uid: identity } = await world.makeAssumable();
      for (const subjectToken of [
        undefined,
        "nonsense",
        "a.b.c",
        `${base64url({ alg: "ES256" })}.${base64url({})}.AAAA`,
        `${base64url({})}.${base64url({})}.x`,
      ])
        rejected(await world.exchange(subjectToken, { identity }), { code: 16, reason: "UNAUTHENTICATED" });
    }),
  ),
  requirement(
    "subject-token.signature",
    "It must have a valid signature from its issuer's keys (or the identity's static keys), not from another key, with the algorithm `none` or with a public key as the secret. The message names an invalid signature (7).",
    overBoth(async (world) => {
      const { uid: identity, subject, subjectToken } = await world.makeAssumable();
      for (const [what, token] of Object.entries(await badlySigned(world, subject)))
        matches(
          (await isRejectedByName(world, identity, token, `a token with ${what}`)).message,
          /signature/i,
          `the message of a token with ${what}`,
        );
      succeeded(await world.exchange(subjectToken, { identity }), "a token with a valid signature");
    }),
  ),
  requirement(
    "subject-token.keys",
    "A JWKS can have several keys of a type without a `kid`: each is tried.",
    overBoth(async (world) => {
      const pairs = [await generateKeyPair("ES256"), await generateKeyPair("ES256"), await generateKeyPair("ES256")];
      const keys = await Promise.all(pairs.slice(0, 2).map(({ publicKey }) => exportJWK(publicKey)));
      const { issuer } = world.issuer;
      const audiences = [world.subjectTokenAudience];
      const staticKeys = { issuer, subject: "a subject", issuerKeys: JSON.stringify({ keys }), audiences };
      const { uid: identity } = await world.make("identities", world.group, { name: "a", staticKeys });
      const tokens = await Promise.all(
        pairs.map(({ privateKey }) =>
          new SignJWT({ iss: issuer, sub: "a subject", aud: audiences, iat: now(), exp: now() + 600 })
            .setProtectedHeader({ alg: "ES256" })
            .sign(privateKey),
        ),
      );
      const [first, second, other] = tokens;
      for (const token of [first, second]) succeeded(await world.exchange(token, { identity }), "an exchange");
      rejected(await world.exchange(other, { identity }), { code: 7, message: /signature/i }, "another key");
    }),
  ),
  requirement(
    "subject-token.expired",
    "It must not be expired. The message names an invalid time (7).",
    overBoth(async (world) => {
      const { uid: identity, subject } = await world.makeAssumable();
      for (const exp of [now() - 600, 0, undefined]) {
        const token = await world.issuer.token(subject, world.subjectTokenAudience, { exp });
        await isRejectedByName(world, identity, token, `a token with exp=${exp}`);
      }
    }),
  ),
  requirement(
    "subject-token.times",
    "The times of a token are finite numbers that are not negative (RFC 7519, 2); `exp` is required. The message names an invalid time (7).",
    overBoth(async (world) => {
      const { uid: identity, subject } = await world.makeAssumable();
      const tokenWith = (times: string) => {
        const claims = JSON.stringify({ iss: world.issuer.issuer, sub: subject, aud: world.subjectTokenAudience });
        return world.issuer.sign(`${claims.slice(0, -1)},${times}}`);
      };
      const later = now() + 600;
      succeeded(await world.exchange(await tokenWith(`"exp":${later}.5,"iat":${now()}.25`), { identity }), "fractions");
      for (const times of [
        '"exp":1e999',
        `"exp":"${later}"`,
        '"exp":-1',
        '"exp":null',
        `"exp":[${later}]`,
        `"exp":${later},"nbf":"0"`,
        `"exp":${later},"iat":-1e999`,
      ])
        await isRejectedByName(world, identity, await tokenWith(times), `a token with ${times}`);
    }),
  ),
  requirement(
    "subject-token.extensions",
    "A token whose header names an extension that is not supported in `crit` is rejected (RFC 7515, 4.1.11); so is one that uses `b64` (RFC 7797, 7).",
    overBoth(async (world) => {
      const { uid: identity, subject, subjectToken } = await world.makeAssumable();
      const claims = { iss: world.issuer.issuer, sub: subject, aud: world.subjectTokenAudience, exp: now() + 600 };
      for (const header of [
        { crit: ["b64"], b64: true },
        { crit: ["exp"], exp: 1 },
      ])
        rejected(
          await world.exchange(await world.issuer.sign(JSON.stringify(claims), header), { identity }),
          { code: 7, message: /signature|crit|extension/i },
          `a token with ${JSON.stringify(header)}`,
        );
      succeeded(await world.exchange(subjectToken, { identity }), "a token without extensions");
    }),
  ),
  requirement(
    "subject-token.future",
    "It must not be dated more than 60 s in the future.",
    overBoth(async (world) => {
      const { uid: identity, subject } = await world.makeAssumable();
      const tokenWith = async (claims: object) =>
        world.issuer.token(subject, world.subjectTokenAudience, { ...claims });
      for (const claims of [{ iat: now() + 300 }, { nbf: now() + 300 }])
        await isRejectedByName(
          world,
          identity,
          await tokenWith(claims),
          `a token with ${Object.keys(claims).join()} in 300 s`,
        );
      // Half of the tolerance: the clocks of this machine and of the platform can differ by the other half.
      const soon = await tokenWith({ iat: now() + 30, nbf: now() + 30 });
      succeeded(await world.exchange(soon, { identity }), "a token dated 30 s in the future");
    }),
  ),
  requirement(
    "subject-token.match",
    "It must match the identity: issuer, subject, audience and every claim of the identity.",
    overBoth("values", async (world) => {
      const { issuer } = world.issuer;
      const match = { issuer, subject: "a subject", audience: "an audience", claims: { team: "red" } };
      const claims = { aud: ["another", "an audience"], team: "red" };
      equal(await claimsMatch(world, match, claims), true, "whether a token with all claims matches");
      for (const [field, value] of Object.entries({
        issuer: `${issuer}/`,
        subject: "a subject of another",
        audience: "audience",
        claims: { team: "red", level: "3" },
      }))
        equal(
          await claimsMatch(world, { ...match, [field]: value }, claims),
          false,
          `whether another ${field} matches`,
        );
      const numbers = { ...match, claims: { ratio: "1.5", level: "3" } };
      equal(await claimsMatch(world, numbers, { ...claims, ratio: 1.5, level: 3 }), true, "whether numbers match");
      // JSON.stringify cannot write such a number. The nearest of JavaScript's numbers is the same for both.
      const large = (number: string) =>
        rawToken(world, { ...claims, large: 0 }, (json) => json.replace('"large":0', `"large":${number}`));
      const { uid: identity } = await world.make("identities", world.group, {
        name: world.name(),
        claimMatch: { ...match, claims: { large: "12345678901234567" } },
      });
      const mismatch = (await unknownIdentity(world)).message;
      for (const [number, isMatch] of [
        ["12345678901234567", true],
        ["12345678901234568", false],
        ["12345678901234569", false],
      ] as const)
        equal(
          rejected(await world.exchange(large(number), { identity }), { code: 7 }).message !== mismatch,
          isMatch,
          `whether the number ${number} matches`,
        );
      for (const team of ["blue", ["red"], undefined])
        equal(
          await claimsMatch(world, match, { ...claims, team }),
          false,
          `whether team=${JSON.stringify(team)} matches`,
        );
    }),
    overBoth("an issuer pattern, which must match the whole value", async (world) => {
      const match = { issuerPattern: "https://conformance\\.[a-z]+", subject: "a subject", audience: "one" };
      const claims = { aud: "one" };
      equal(await claimsMatch(world, match, claims), true, "whether a token of the issuer matches");
      // Anchors that are added to alternatives without a group hold for one of these each.
      for (const issuerPattern of ["conformance", "https://conformance|another", "another|[.][a-z]+"])
        equal(
          await claimsMatch(world, { ...match, issuerPattern }, claims),
          false,
          `whether a part of the issuer matches ${issuerPattern}`,
        );
    }),
  ),
  requirement(
    "subject-token.patterns-last",
    "Patterns other than `issuerPattern` are matched only after the signature is verified, and must match the whole value.",
    overBoth("before the signature, a mismatch of a pattern is not reported", async (world) => {
      const match = {
        issuerPattern: "https://conformance\\.[a-z]+",
        subjectPattern: "another",
        audiencePattern: "another",
        claimPatterns: { ref: "another" },
      };
      equal(await claimsMatch(world, match, { aud: "one", ref: "v1" }), true, "whether they are matched later");
    }),
  ),
  requirement(
    "subject-token.default-audience",
    "The audience that an identity expects by default is the host name of `{auth_url}` without port.",
    overBoth(async (world) => {
      const claimMatch = { issuer: world.issuer.issuer, subject: "a subject" };
      const { hostname } = new URL(world.target.authUrl);
      equal(await claimsMatch(world, claimMatch, { aud: hostname }), true, `whether the audience ${hostname} matches`);
      for (const aud of [world.target.authUrl, `${hostname}:1`, "elsewhere", undefined])
        equal(await claimsMatch(world, claimMatch, { aud }), false, `whether the audience ${aud} matches`);
      const { issuer } = world;
      const staticKeys = { issuer: issuer.issuer, subject: "s", issuerKeys: await issuer.keys(), audiences: [] };
      const { uid: identity } = await world.make("identities", world.group, { name: world.name(), staticKeys });
      succeeded(await world.exchange(await issuer.token("s", hostname), { identity }), "static keys without one");
      const other = await issuer.token("s", world.target.authUrl);
      rejected(await world.exchange(other, { identity }), { code: 7 }, "another audience for static keys");
    }),
  ),
  requirement(
    "subject-token.same-message",
    "An unknown identity and any mismatch of issuer, subject, audience or claims get the same message (7).",
    overBoth(async (world) => {
      const { uid: identity, subject } = await world.makeAssumable();
      const claims = { team: "red" };
      const claimMatch = { issuer: world.issuer.issuer, subject, claims };
      const { uid: claiming } = await world.make("identities", world.group, { name: world.name(), claimMatch });
      const token = (over: object) => world.issuer.token(subject, world.subjectTokenAudience, { ...over });
      const mismatches = [
        ["issuer", identity, await token({ iss: "https://other.invalid" })],
        ["subject", identity, await token({ sub: "another" })],
        ["audience", identity, await token({ aud: "another" })],
        ["claims", claiming, await token({ team: "blue" })],
        ["subject and time", identity, await token({ sub: "another", exp: 1 })],
      ] as const;
      const expected = await unknownIdentity(world);
      for (const [what, uid, subjectToken] of mismatches)
        equal(
          rejected(await world.exchange(subjectToken, { identity: uid }), { code: 7 }),
          expected,
          `the error of a mismatch of ${what}`,
        );
    }),
  ),
  requirement(
    "subject-token.not-disclosed",
    "No message contains a token or anything fetched.",
    overBoth(async (world) => {
      const { uid: identity, subject } = await world.makeAssumable();
      const tokens = [
        ...Object.values(await badlySigned(world, subject)),
        await world.issuer.token(subject, world.subjectTokenAudience, { exp: 1 }),
        await world.issuer.token("someone else", world.subjectTokenAudience),
      ];
      for (const token of tokens) {
        const text = JSON.stringify(rejected(await world.exchange(token, { identity }), { code: 7 }));
        const [, payload, signature] = parts(token);
        const disclosed = [payload, signature, subject].some((part) => part !== "" && text.includes(part));
        equal(disclosed, false, "whether the error contains a part of the token");
      }
    }),
  ),
  requirement(
    "subject-token.own-issuer",
    "A subject token whose issuer is `{auth_url}` is rejected, even if a pattern matches it.",
    overBoth("an API token", async (world) => {
      const { token } = await world.caller("owner");
      const claimMatch = { issuerPattern: ".*", subjectPattern: ".*", audiencePattern: ".*" };
      const { uid: identity } = await world.make("identities", world.group, { name: "any", claimMatch });
      equal(
        rejected(await world.exchange(token, { identity }), { code: 7 }),
        await unknownIdentity(world),
        "the error",
      );
    }),
    overBoth("static keys with that issuer", async (world) => {
      const { authUrl: issuer } = world.target;
      const audiences = [world.subjectTokenAudience];
      const staticKeys = { issuer, subject: "s", issuerKeys: await world.issuer.keys(), audiences };
      const made = await world.api.create("identities", world.group, { name: "a", staticKeys });
      if (!made.ok) return void rejected(made, { code: 3 }, "a Create of the identity");
      const subjectToken = await world.issuer.token("s", world.subjectTokenAudience, { iss: issuer });
      rejected(await world.exchange(subjectToken, { identity: made.body.uid }), { code: 7 }, "an exchange");
    }),
  ),
  requirement(
    "subject-token.non-public-address",
    "Issuers are contacted over https; non-public addresses are rejected, unless a setting names the issuer.",
    overBoth(async (world) => {
      const hosts = ["127.0.0.1:9", "[::1]:9", "10.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]:9", "localhost:9"];
      for (const issuer of [...hosts.map((host) => `https://${host}`), "http://issuer.example.com"]) {
        const claimMatch = { issuer, subject: "s" };
        const made = await world.api.create("identities", world.group, { name: world.name(), claimMatch });
        if (!made.ok) rejected(made, { code: 3 }, `a Create of an identity of ${issuer}`);
        else {
          const subjectToken = await world.issuer.token("s", world.subjectTokenAudience, { iss: issuer });
          await isRejectedByName(world, made.body.uid, subjectToken, `the exchange of a token of ${issuer}`);
        }
      }
    }),
  ),
  untested(
    "subject-token.unreachable",
    "One message for every address that is not reached.",
    "such issuers are refused on create; covered by the tests of this project's platform",
  ),
  untested(
    "subject-token.fetch",
    "Only the requested identity's issuer is contacted, after issuer, subject and audience matched; the `issuer` in the discovery document must equal it; no redirects; a size limit and a time limit; the address that was checked is the one that is connected to. The same applies to `jwks_uri`.",
    "it needs an issuer that the platform can reach and trusts; covered by the tests of this project's platform",
  ),
]);
