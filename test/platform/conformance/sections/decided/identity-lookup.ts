import { lookup } from "../../client/iam-methods.ts";
import { equal, rejected, succeeded } from "../../expect.ts";
import { coveredBy, decidedSection, overBoth, requirement } from "../../requirement.ts";

const issuer = "https://issuer.example.com";

/** The lookup of identities, in addition to the requirements in methods.ts. */
export const identityLookup = decidedSection("Identity lookup", [
  coveredBy("lookup.response", "The response is `{uid}`.", "methods.lookup-identity"),
  requirement(
    "lookup.static-keys",
    "The lookup also finds identities with static keys, by their issuer and subject.",
    overBoth(async (world) => {
      const { uid, subject } = await world.makeAssumable();
      const parameters = { issuer: world.issuer.issuer, subject };
      equal(succeeded(await world.api.call(lookup, parameters)).uid, uid, "uid");
    }),
  ),
  requirement(
    "lookup.both",
    "Issuer and subject are both required, and both must match.",
    overBoth("another issuer", async (world) => {
      const subject = `${world.group} of one issuer`;
      await world.make("identities", world.group, { name: "a", claimMatch: { issuer, subject } });
      const other = { issuer: "https://other.example.com", subject };
      rejected(await world.api.call(lookup, other), { code: 5, reason: "NOT_FOUND" }, "the lookup");
    }),
    overBoth("a missing parameter", async ({ api }) => {
      rejected(await api.call(lookup, { issuer }), { code: 3, field: "subject" }, "a lookup without subject");
      rejected(await api.call(lookup, { subject: "s" }), { code: 3, field: "issuer" }, "a lookup without issuer");
    }),
  ),
  requirement(
    "lookup.hidden",
    "The lookup does not find identities that the caller cannot list.",
    overBoth(async (world) => {
      const [seen, hidden] = [await world.makeGroup(), await world.makeGroup()];
      const { api } = await world.caller("viewer", seen);
      const parameters = (subject: string) => ({ issuer, subject: `${world.group} ${subject}` });
      const shown = await world.make("identities", seen, { name: "a", claimMatch: parameters("seen") });
      await world.make("identities", hidden, { name: "b", claimMatch: parameters("hidden") });
      equal(succeeded(await api.call(lookup, parameters("seen"))).uid, shown.uid, "the visible identity");
      rejected(await api.call(lookup, parameters("hidden")), { code: 5, reason: "NOT_FOUND" }, "the hidden identity");
    }),
  ),
]);
