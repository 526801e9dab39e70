import { IdentitiesService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import type { Method } from "../../client/api.ts";
import { equal, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth } from "../../sentence.ts";

const lookup: Method = {
  http: { verb: "GET", path: "/iam/v2beta1/identities:lookupIdentity" },
  rpc: IdentitiesService.method.lookupIdentity,
};
const issuer = "https://issuer.example.com";

/** Looking an identity up, beside what the chapter of methods says of it. */
export const identityLookup: Chapter = {
  title: "Looking an identity up",
  origin: "decided",
  sentences: [
    {
      id: "lookup.answer",
      says: "The answer is {uid}.",
      cases: [
        overBoth(async (world) => {
          const claimMatch = { issuer, subject: `${world.group} answered` };
          const { uid } = await world.make("identities", world.group, { name: "a", claimMatch });
          equal(succeeded(await world.api.call(lookup, claimMatch)), { uid }, "the answer");
        }),
      ],
    },
    {
      id: "lookup.static-keys",
      says: "Identities with static keys are found by their issuer and subject, too.",
      cases: [
        overBoth(async (world) => {
          const { uid, subject } = await world.makeAssumable();
          const asked = { issuer: world.issuer.issuer, subject };
          equal(succeeded(await world.api.call(lookup, asked)).uid, uid, "uid");
        }),
      ],
    },
    {
      id: "lookup.both",
      says: "Issuer and subject both hold, and both are required.",
      cases: [
        overBoth("another issuer", async (world) => {
          const subject = `${world.group} of one issuer`;
          await world.make("identities", world.group, { name: "a", claimMatch: { issuer, subject } });
          const other = { issuer: "https://other.example.com", subject };
          refused(await world.api.call(lookup, other), { code: 5, reason: "NOT_FOUND" }, "the look-up");
        }),
        overBoth("one alone", async ({ api }) => {
          refused(await api.call(lookup, { issuer }), { code: 3, field: "subject" }, "one without subject");
          refused(await api.call(lookup, { subject: "s" }), { code: 3, field: "issuer" }, "one without issuer");
        }),
      ],
    },
    {
      id: "lookup.hidden",
      says: "An identity that the caller may not list is not found.",
      cases: [
        overBoth(async (world) => {
          const [seen, hidden] = [await world.makeGroup(), await world.makeGroup()];
          const { api } = await world.caller("viewer", seen);
          const asked = (subject: string) => ({ issuer, subject: `${world.group} ${subject}` });
          const shown = await world.make("identities", seen, { name: "a", claimMatch: asked("seen") });
          await world.make("identities", hidden, { name: "b", claimMatch: asked("hidden") });
          equal(succeeded(await api.call(lookup, asked("seen"))).uid, shown.uid, "the one that it may list");
          refused(await api.call(lookup, asked("hidden")), { code: 5, reason: "NOT_FOUND" }, "the other");
        }),
      ],
    },
  ],
};
