import { IdentitiesService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { equal, has, holds, rejected, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overGrpc, overRest, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

const issuer = "https://issuer.example.com";
const subject = "a subject";
const day = 24 * 3_600_000;

const isRejected = async ({ api, group }: World, relationship: object, field: string) =>
  rejected(
    await api.create("identities", group, { name: "a", ...relationship }),
    { code: 3, field },
    `an identity with an invalid ${field}`,
  );

const staticKeysOf = async ({ issuer: own }: World) => ({
  issuer: own.issuer,
  subject,
  issuerKeys: await own.keys(),
  audiences: ["audience"],
});

/** The fields of an identity that decide which tokens can assume it. */
export const identities = decidedSection("Fields of identities", [
  requirement(
    "identities.exactly-one",
    "An identity has exactly one of `claimMatch`, `staticKeys`, `awsIdentity`.",
    overBoth(
      "none of them",
      async ({ api, group }) => void rejected(await api.create("identities", group, { name: "a" }), { code: 3 }),
    ),
    overRest("two of them", async ({ rest, group }) => {
      const body = {
        name: "a",
        claimMatch: { issuer, subject },
        awsIdentity: { awsAccount: "123456789012", arn: "a", userId: "u" },
      };
      const error = { code: 3, field: "awsIdentity" };
      rejected(await rest.create("identities", group, body), error, "an identity with two of them");
    }),
    overBoth("an update to another one", async (world) => {
      const uid = await world.makeIdentity();
      const awsIdentity = { awsAccount: "123456789012", arn: "a", userId: "u" };
      const updated = succeeded(await world.api.update("identities", uid, { awsIdentity }));
      has(updated, { awsIdentity }, "the identity");
      equal("claimMatch" in updated, false, "whether claimMatch is still present");
      const claimMatch = { issuer, subject };
      const back = succeeded(await world.api.update("identities", uid, { claimMatch }, ["claim_match"]));
      has(back, { claimMatch }, "the identity after a second update");
      equal("awsIdentity" in back, false, "whether awsIdentity is still present");
      rejected(await world.api.update("identities", uid, {}, ["claim_match"]), { code: 3 }, "resetting claimMatch");
    }),
  ),
  requirement(
    "identities.claim-match",
    "`claimMatch`: one of `issuer`, `issuerPattern`; one of `subject`, `subjectPattern`; optionally one of `audience`, `audiencePattern`; maps `claims`, `claimPatterns`.",
    overBoth("every field is stored and returned", async (world) => {
      for (const claimMatch of [
        { issuer, subject, audience: "an audience", claims: { team: "a" }, claimPatterns: { ref: "refs/.*" } },
        { issuerPattern: "https://.*", subjectPattern: "a.*", audiencePattern: "b+" },
      ])
        has(
          await world.make("identities", world.group, { name: world.name(), claimMatch }),
          { claimMatch },
          "the identity",
        );
    }),
    overRest("zero values are present", async (world) => {
      const made = await world.make("identities", world.group, { name: "a", claimMatch: { issuer, subject } });
      const { uid, createTime } = made;
      const claimMatch = { issuer, subject, claims: {}, claimPatterns: {} };
      const times = { lastSeenTime: createTime, createTime, updateTime: createTime };
      equal(made, { uid, name: "a", description: "", claimMatch, ...times }, "the identity");
    }),
    overBoth("missing fields", async (world) => {
      await isRejected(world, { claimMatch: { subject } }, "claimMatch.issuer");
      await isRejected(world, { claimMatch: { issuer } }, "claimMatch.subject");
    }),
    overRest("two alternatives at once", async ({ rest, group }) => {
      for (const [claimMatch, field] of [
        [{ issuer, issuerPattern: ".*", subject }, "claimMatch.issuerPattern"],
        [{ issuer, subject, subjectPattern: ".*" }, "claimMatch.subjectPattern"],
      ] as const)
        rejected(
          await rest.create("identities", group, { name: "a", claimMatch }),
          { code: 3, field },
          "an identity with both alternatives",
        );
    }),
  ),
  requirement(
    "identities.person",
    "`person` is what an identity provider says about the person who logs in as the identity: nobody can write it, and no other identity has it. The filter `person` finds identities by it.",
    overRest("it cannot be written", async (world) => {
      const person = { name: "Kate Miller", email: "kate@corp.example" };
      const claimMatch = { issuer, subject };
      const made = succeeded(await world.rest.create("identities", world.group, { name: "a", claimMatch, person }));
      equal("person" in made, false, "whether the created identity has a person");
      const { uid } = made;
      const updated = succeeded(await world.rest.update("identities", uid, { description: "b", person }));
      equal("person" in updated, false, "whether the updated identity has a person");
    }),
    overGrpc("its number, 101", async ({ grpc, group }) => {
      const person = { 1: "Kate Miller", 2: "kate@corp.example" };
      const input = { 1: group, 2: { 2: "a", 20: { 1: issuer, 3: subject }, 101: person } };
      const created = await grpc.sendNumbered(IdentitiesService.method.createIdentity, input);
      equal(created.numbers.includes(101), false, "whether the created identity has a person");
    }),
    overBoth("a filter by somebody whom no identity has", async (world) => {
      await world.makeIdentity();
      for (const person of [`${world.name()}@corp.example`, world.name()])
        equal(await world.list("identities", { person }), [], `the identities of ${person}`);
    }),
  ),
  requirement(
    "identities.default-audience",
    "The default audience is not stored in an identity that names none.",
    overBoth(async (world) => {
      const made = succeeded(await world.api.get("identities", await world.makeIdentity()));
      const claimMatch = made["claimMatch"] as object;
      holds(!("audience" in claimMatch), "claimMatch", "no audience", claimMatch);
    }),
  ),
  requirement(
    "identities.patterns",
    "Patterns are RE2 regular expressions.",
    overBoth(async (world) => {
      await isRejected(world, { claimMatch: { issuer, subjectPattern: "(a)\\1" } }, "claimMatch.subjectPattern");
      await isRejected(world, { claimMatch: { issuer, subjectPattern: "(?=a)" } }, "claimMatch.subjectPattern");
      await isRejected(world, { claimMatch: { issuerPattern: "(", subject } }, "claimMatch.issuerPattern");
      const claimMatch = { issuer, subject, claimPatterns: { team: "(" } };
      await isRejected(world, { claimMatch }, "claimMatch.claimPatterns.team");
    }),
  ),
  untested(
    "identities.patterns-whole",
    "Patterns match the whole value.",
    "covered by subject-token.match for issuers; other patterns need a token with a valid signature, and the tests of this project's platform have one",
  ),
  requirement(
    "identities.static-keys",
    "`staticKeys`: `issuer`, `subject`, `issuerKeys` (a JWKS document) are required; `audiences` is at most one.",
    overBoth("they are stored and returned", async (world) => {
      const staticKeys = await staticKeysOf(world);
      const made = await world.make("identities", world.group, { name: "a", staticKeys });
      has(made["staticKeys"], { issuer: staticKeys.issuer, subject, audiences: ["audience"] }, "staticKeys");
    }),
    overBoth("missing fields", async (world) => {
      const staticKeys = await staticKeysOf(world);
      for (const field of ["issuer", "subject", "issuerKeys"])
        await isRejected(world, { staticKeys: { ...staticKeys, [field]: "" } }, `staticKeys.${field}`);
      const audiences = ["a", "b"];
      await isRejected(world, { staticKeys: { ...staticKeys, audiences } }, "staticKeys.audiences");
      await isRejected(world, { staticKeys: { ...staticKeys, issuerKeys: "not keys" } }, "staticKeys.issuerKeys");
    }),
    overBoth("without audiences", async (world) => {
      const staticKeys = { ...(await staticKeysOf(world)), audiences: [] };
      const made = await world.make("identities", world.group, { name: "a", staticKeys });
      equal((made["staticKeys"] as typeof staticKeys).audiences, [], "audiences");
    }),
    overBoth("keys that can never verify a token", async (world) => {
      const staticKeys = await staticKeysOf(world);
      const { keys } = JSON.parse(staticKeys.issuerKeys) as { readonly keys: readonly object[] };
      for (const [what, key] of Object.entries({
        "for encryption": { ...keys[0], use: "enc", alg: "ECDH-ES" },
        symmetric: { kty: "oct", k: "c2VjcmV0" },
        "of an unknown type": { kty: "dragon" },
        "that is too short": { kty: "RSA", n: "AQAB", e: "AQAB" },
      })) {
        const issuerKeys = JSON.stringify({ keys: [key] });
        const made = await world.api.create("identities", world.group, {
          name: "a",
          staticKeys: { ...staticKeys, issuerKeys },
        });
        rejected(made, { code: 3, field: "staticKeys.issuerKeys" }, `a key ${what}`);
      }
    }),
  ),
  requirement(
    "identities.never-fetched",
    "Issuers that can never be fetched are refused on create, those of identity providers, too.",
    overBoth(async (world) => {
      const defaultRole = await world.builtInRole("viewer");
      for (const never of [
        "http://issuer.example.com",
        "https://10.0.0.1",
        "https://168.63.129.16",
        "https://[::ffff:169.254.169.254]",
        "https://localhost",
        "https://issuer.example.com?a",
      ]) {
        await isRejected(world, { claimMatch: { issuer: never, subject } }, "claimMatch.issuer");
        const oidc = { issuer: never, clientId: "c", pkceEnabled: true };
        const made = await world.api.create("identityProviders", world.group, { name: "a", defaultRole, oidc });
        rejected(made, { code: 3, field: "oidc.issuer" }, `an identity provider at ${never}`);
      }
    }),
  ),
  requirement(
    "identities.static-keys-expiration",
    "`staticKeys.expirationTime`: 365 days by default and at most.",
    overBoth(async (world) => {
      const staticKeys = await staticKeysOf(world);
      const made = await world.make("identities", world.group, { name: "a", staticKeys });
      const { expirationTime } = made["staticKeys"] as { expirationTime: string };
      equal(
        Date.parse(expirationTime) - Date.parse(made.createTime),
        365 * day,
        "the milliseconds until they expire by default",
      );
      const late = new Date(Date.parse(made.createTime) + 366 * day).toISOString();
      const early = new Date(Date.parse(made.createTime) - day).toISOString();
      for (const time of [late, early])
        await isRejected(world, { staticKeys: { ...staticKeys, expirationTime: time } }, "staticKeys.expirationTime");
    }),
  ),
  requirement(
    "identities.aws",
    "`awsIdentity`: `awsAccount` (12 digits), `arn` or `arnPattern`, `userId` or `userIdPattern`.",
    overBoth("they are stored and returned", async (world) => {
      for (const awsIdentity of [
        { awsAccount: "123456789012", arn: "arn:aws:iam::123456789012:role/a", userId: "u" },
        { awsAccount: "123456789012", arnPattern: "arn:.*", userIdPattern: "u.*" },
      ])
        has(
          await world.make("identities", world.group, { name: world.name(), awsIdentity }),
          { awsIdentity },
          "the identity",
        );
    }),
    overBoth("invalid fields", async (world) => {
      const valid = { awsAccount: "123456789012", arn: "a", userId: "u" };
      await isRejected(world, { awsIdentity: { ...valid, awsAccount: "1" } }, "awsIdentity.awsAccount");
      await isRejected(world, { awsIdentity: { awsAccount: valid.awsAccount, userId: "u" } }, "awsIdentity.arn");
      await isRejected(world, { awsIdentity: { awsAccount: valid.awsAccount, arn: "a" } }, "awsIdentity.userId");
    }),
  ),
  requirement(
    "identities.last-seen-time",
    "`lastSeenTime` is initially the time of creation.",
    overBoth(async (world) => {
      const made = succeeded(await world.api.get("identities", await world.makeIdentity()));
      equal(made["lastSeenTime"], made.createTime, "lastSeenTime");
    }),
  ),
]);
