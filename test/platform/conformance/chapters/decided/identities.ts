import { equal, has, holds, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth, overRest } from "../../sentence.ts";
import type { World } from "../../world.ts";

const issuer = "https://issuer.example.com";
const subject = "a subject";
const day = 24 * 3_600_000;

const wrong = async ({ api, group }: World, relationship: object, field: string) =>
  refused(
    await api.create("identities", group, { name: "a", ...relationship }),
    { code: 3, field },
    `one without a right ${field}`,
  );

const staticKeysOf = async ({ issuer: own }: World) => ({
  issuer: own.issuer,
  subject,
  issuerKeys: await own.keys(),
  audiences: ["audience"],
});

/** How an identity may be assumed: its fields. */
export const identities: Chapter = {
  title: "Fields of identities",
  origin: "decided",
  sentences: [
    {
      id: "identities.exactly-one",
      says: "An identity has exactly one of `claimMatch`, `staticKeys`, `awsIdentity`.",
      cases: [
        overBoth(
          "none",
          async ({ api, group }) => void refused(await api.create("identities", group, { name: "a" }), { code: 3 }),
        ),
        overRest("two", async ({ rest, group }) => {
          const body = {
            name: "a",
            claimMatch: { issuer, subject },
            awsIdentity: { awsAccount: "123456789012", arn: "a", userId: "u" },
          };
          refused(await rest.create("identities", group, body), { code: 3 }, "one with two");
        }),
        overBoth("one in the place of another", async (world) => {
          const uid = await world.makeIdentity();
          const awsIdentity = { awsAccount: "123456789012", arn: "a", userId: "u" };
          const updated = succeeded(await world.api.update("identities", uid, { awsIdentity }));
          has(updated, { awsIdentity }, "the identity");
          equal("claimMatch" in updated, false, "whether claimMatch is there still");
        }),
      ],
    },
    {
      id: "identities.claim-match",
      says: "`claimMatch`: one of `issuer`, `issuerPattern`; one of `subject`, `subjectPattern`; optionally one of `audience`, `audiencePattern`; maps `claims`, `claimPatterns`.",
      cases: [
        overBoth("all of it is kept", async (world) => {
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
        overBoth("what is missing", async (world) => {
          await wrong(world, { claimMatch: { subject } }, "claimMatch.issuer");
          await wrong(world, { claimMatch: { issuer } }, "claimMatch.subject");
        }),
        overRest("two of one kind", async ({ rest, group }) => {
          for (const claimMatch of [
            { issuer, issuerPattern: ".*", subject },
            { issuer, subject, subjectPattern: ".*" },
          ])
            refused(
              await rest.create("identities", group, { name: "a", claimMatch }),
              { code: 3 },
              "one with two of a kind",
            );
        }),
      ],
    },
    {
      id: "identities.default-audience",
      says: "Where no audience is named, the one that is expected is not written into the resource.",
      cases: [
        overBoth(async (world) => {
          const made = succeeded(await world.api.get("identities", await world.makeIdentity()));
          const claimMatch = made["claimMatch"] as object;
          holds(!("audience" in claimMatch), "claimMatch", "no audience", claimMatch);
        }),
      ],
    },
    {
      id: "identities.patterns",
      says: "Patterns are RE2-style.",
      cases: [
        overBoth(async (world) => {
          await wrong(world, { claimMatch: { issuer, subjectPattern: "(a)\\1" } }, "claimMatch.subjectPattern");
          await wrong(world, { claimMatch: { issuer, subjectPattern: "(?=a)" } }, "claimMatch.subjectPattern");
          await wrong(world, { claimMatch: { issuerPattern: "(", subject } }, "claimMatch.issuerPattern");
        }),
      ],
    },
    {
      id: "identities.patterns-whole",
      says: "Patterns match the whole value.",
      untried: "as incoming.match",
    },
    {
      id: "identities.static-keys",
      says: "`staticKeys`: `issuer`, `subject`, `issuerKeys` (a JWKS document) are required; `audiences` is exactly one.",
      cases: [
        overBoth("they are kept", async (world) => {
          const staticKeys = await staticKeysOf(world);
          const made = await world.make("identities", world.group, { name: "a", staticKeys });
          has(made["staticKeys"], { issuer: staticKeys.issuer, subject, audiences: ["audience"] }, "staticKeys");
        }),
        overBoth("what is missing", async (world) => {
          const staticKeys = await staticKeysOf(world);
          for (const field of ["issuer", "subject", "issuerKeys"])
            await wrong(world, { staticKeys: { ...staticKeys, [field]: "" } }, `staticKeys.${field}`);
          for (const audiences of [[], ["a", "b"]])
            await wrong(world, { staticKeys: { ...staticKeys, audiences } }, "staticKeys.audiences");
          await wrong(world, { staticKeys: { ...staticKeys, issuerKeys: "no keys" } }, "staticKeys.issuerKeys");
        }),
      ],
    },
    {
      id: "identities.static-keys-expiration",
      says: "`staticKeys.expirationTime`: 365 days by default and at most.",
      cases: [
        overBoth(async (world) => {
          const staticKeys = await staticKeysOf(world);
          const made = await world.make("identities", world.group, { name: "a", staticKeys });
          const { expirationTime } = made["staticKeys"] as { expirationTime: string };
          equal(
            Date.parse(expirationTime) - Date.parse(made.createTime),
            365 * day,
            "how long they hold by default, in milliseconds",
          );
          const late = new Date(Date.parse(made.createTime) + 366 * day).toISOString();
          await wrong(world, { staticKeys: { ...staticKeys, expirationTime: late } }, "staticKeys.expirationTime");
        }),
      ],
    },
    {
      id: "identities.aws",
      says: "`awsIdentity`: `awsAccount` (12 digits), `arn` or `arnPattern`, `userId` or `userIdPattern`.",
      cases: [
        overBoth("they are kept", async (world) => {
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
        overBoth("what is wrong", async (world) => {
          const right = { awsAccount: "123456789012", arn: "a", userId: "u" };
          await wrong(world, { awsIdentity: { ...right, awsAccount: "1" } }, "awsIdentity.awsAccount");
          await wrong(world, { awsIdentity: { awsAccount: right.awsAccount, userId: "u" } }, "awsIdentity.arn");
          await wrong(world, { awsIdentity: { awsAccount: right.awsAccount, arn: "a" } }, "awsIdentity.userId");
        }),
      ],
    },
    {
      id: "identities.last-seen-time",
      says: "`lastSeenTime` is the creation's time at first.",
      cases: [
        overBoth(async (world) => {
          const made = succeeded(await world.api.get("identities", await world.makeIdentity()));
          equal(made["lastSeenTime"], made.createTime, "lastSeenTime");
        }),
      ],
    },
  ],
};
