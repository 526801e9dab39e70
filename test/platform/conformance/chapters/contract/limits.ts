import type { Json } from "../../client/api.ts";
import { exchange } from "../../client/token-service.ts";
import { equal, holds, succeeded } from "../../expect.ts";
import { type Chapter, overBoth } from "../../sentence.ts";

const hour = 3_600;

/** Section 8. */
export const limits: Chapter = {
  title: "8 Limits",
  origin: "contract",
  sentences: [
    {
      id: "8.page-size-default",
      says: "`page_size` default: 50.",
      cases: [
        overBoth(async (world) => {
          equal(
            (await world.rows("groups", { uidp: { childrenOf: await world.crowd() } })).length,
            50,
            "the length of a page",
          );
        }),
      ],
    },
    {
      id: "8.page-size-maximum",
      says: "`page_size` maximum: 200.",
      cases: [
        overBoth(async (world) => {
          const uidp = { childrenOf: await world.crowd() };
          const page = succeeded(await world.api.list("groups", { uidp, pageSize: 200 }));
          equal((page["groups"] as Json[]).length, 200, "the length of a page with page_size=200");
          const more = await world.api.list("groups", { uidp, pageSize: 1_000 });
          // What is said of more is left open; that it is no more than 200 rows is not.
          const length = more.ok ? (more.body["groups"] as Json[]).length : 0;
          holds(length <= 200, "the length of a page with page_size=1000", "at most 200", length);
        }),
      ],
    },
    {
      id: "8.page-token-lifetime",
      says: "Page token lifetime: 3 days; afterwards the query restarts from the beginning with no error.",
      untried: "a run does not last three days; our own platform's tests move its clock",
    },
    { id: "8.group-name", says: "Group name pattern: `^[a-z0-9 ._-]{1,}$`.", untried: "as 2.group.name-pattern" },
    {
      id: "8.exchanged-token-lifetime",
      says: "Exchanged API token lifetime: 1 hour.",
      cases: [
        overBoth(async (world) => {
          const { uid: identity, incoming } = await world.makeAssumable();
          const asked = { aud: [world.target.audience], identity };
          const answer = succeeded(await world.tokens(incoming).call(exchange, asked));
          const [, payload = ""] = String(answer["token"]).split(".");
          const { iat, exp } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { iat: number; exp: number };
          equal(exp - iat, hour, "the seconds between the token's iat and exp");
        }),
      ],
    },
    {
      id: "8.rate-limits",
      says: "Rate limits are not enforced during beta.",
      cases: [
        overBoth(async (world) => {
          const calls = Array.from({ length: 100 }, () => world.api.get("groups", world.group));
          for (const outcome of await Promise.all(calls)) succeeded(outcome, "one of 100 calls at once");
        }),
      ],
    },
  ],
};
