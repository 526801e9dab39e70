import { expect, it } from "vitest";
import type { ExternalIdentity } from "#src/kinds/identity.ts";
import { type ExternalIdentityProvider, identityProviders } from "#src/platform-client/identity-providers.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { listPeople } from "./listed-people.ts";

const organisation = "a".repeat(40);
const root = `${organisation}/1111111111111111`;
const team = `${root}/2222222222222222`;
const issuer = "https://login.example";

/** A session that may list the providers in these scopes. */
function sessionWith(lists: Readonly<Record<string, readonly string[] | undefined>>): PlatformSession {
  return {
    roots: [root],
    peek: async (_type: unknown, _capability: string, scope: Readonly<Record<string, string>>) => {
      const group = scope["descendantsOf"] ?? scope["childrenOf"] ?? "";
      if (scope["descendantsOf"] === organisation) throw new Error("outside of the roots");
      const providers = lists[group]?.map(
        (parent): ExternalIdentityProvider =>
          identityProviders.schema.parse({ uid: `${parent}/ffffffffffffffff`, oidc: { issuer: `${issuer}/` } }),
      );
      return async () => providers;
    },
  } as unknown as PlatformSession;
}

const peopleOf = async (session: PlatformSession) => (await listPeople(session))();

const identity = (claimMatch: object | undefined, parent = team): ExternalIdentity =>
  Object.assign({ uid: `${parent}/3333333333333333`, name: "", description: "" }, { claimMatch });

it.each<[boolean, readonly string[], object | undefined]>([
  [true, [team], { issuer, subject: "ana" }],
  [true, [root], { issuer, subject: "ana" }],
  [true, [root], { issuerPattern: "https://.*", subject: "ana" }],
  [false, [root], { issuer: "https://token.example", subject: "ana" }],
  [false, [root], undefined],
  [false, [`${root}/4444444444444444`], { issuer, subject: "ana" }],
  [false, [], { issuerPattern: "https://.*", subject: "ana" }],
])("an identity is a person: %s, with providers in %j and %j", async (expected, providers, claimMatch) => {
  const people = await peopleOf(sessionWith({ [root]: providers, [organisation]: [] }));
  expect(people.isPerson(identity(claimMatch))).toBe(expected);
});

it("recognizes people by a provider above the root of the session", async () => {
  const people = await peopleOf(sessionWith({ [root]: [], [organisation]: [organisation] }));
  expect(people.isPerson(identity({ issuer, subject: "ana" }))).toBe(true);
});

it("knows the issuer of each provider", async () => {
  const people = await peopleOf(sessionWith({ [root]: [team], [organisation]: [] }));
  const [uid, other] = [`${team}/ffffffffffffffff`, `${root}/ffffffffffffffff`];
  expect(people.hasProvider(uid, issuer)).toBe(true);
  expect(people.hasProvider(uid, "https://other.example")).toBe(false);
  expect(people.hasProvider(other, issuer)).toBe(false);
});

it("knows no person that no group contains", async () => {
  const people = await peopleOf(sessionWith({ [root]: [], [organisation]: [] }));
  expect(people.isPerson({ uid: organisation, name: "", description: "" })).toBe(true);
});

it.each<[boolean, Readonly<Record<string, readonly string[] | undefined>>]>([
  [true, { [root]: [], [organisation]: [] }],
  [false, { [root]: [], [organisation]: undefined }],
  [false, { [root]: undefined, [organisation]: [] }],
])("knows the providers of a group: %s", async (expected, lists) => {
  expect((await peopleOf(sessionWith(lists))).isKnown(team)).toBe(expected);
  expect((await peopleOf(sessionWith(lists))).isKnown(organisation)).toBe(false);
});
