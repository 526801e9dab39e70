import { hash } from "node:crypto";
import { decodeJwt } from "jose";
import { equal, has, rejected, Skip, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overGrpc, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

/** Different values. */
const values = (count: number) => Array.from({ length: count }, (_, index) => index.toString(36).padStart(2, "0"));
const entries = (count: number) => Object.fromEntries(values(count).map((key) => [key, "v"]));

/** Checks that an identity with these conditions is refused. */
async function isRefused(world: World, condition: object, field: string, what: string): Promise<void> {
  const claimMatch = { issuer: "https://issuer.example.com", subject: "s", ...condition };
  const made = await world.api.create("identities", world.group, { name: world.name(), claimMatch });
  rejected(made, { code: 3, field }, what);
}

/** The limits of requests, with which a platform protects its callers from each other. */
export const sizes = decidedSection("Sizes of requests and responses", [
  requirement(
    "sizes.fields",
    "Every text, map and list has a bound: 65,536 characters, and 1,000 entries or items. Beyond it, the code is 3 on the field.",
    overBoth(async (world) => {
      const long = "v".repeat(65_537);
      await isRefused(world, { audience: long }, "claimMatch.audience", "a text of 65,537 characters");
      await isRefused(world, { claims: { a: long } }, "claimMatch.claims.a", "such a text in a map");
      await isRefused(world, { claims: entries(1_001) }, "claimMatch.claims", "a map of 1,001 entries");
      await isRefused(world, { claims: { ["k".repeat(1_025)]: "v" } }, "claimMatch.claims", "a key that is too long");
      for (const list of ["bundles", "aliases", "activeTags"]) {
        const many = await world.api.create("repos", world.group, { name: "a", [list]: values(1_001) });
        if (!many.ok && many.failure.code === 12) return;
        rejected(many, { code: 3, field: list }, "a list of 1,001 items");
        const one = await world.api.create("repos", world.group, { name: "a", [list]: ["ok", long] });
        rejected(one, { code: 3, field: `${list}[1]` }, "a list with an item of 65,537 characters");
      }
    }),
    overBoth("texts that resources are found by have lower bounds", async (world) => {
      // Not compressible, and with more bytes than characters.
      const text = (length: number) =>
        Array.from({ length }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000))).join("");
      const name = (length: number) => hash("sha512", "x").repeat(20).slice(0, length);
      const identity = ({ named = 1_024, issuer = 1_024, subject = 400 }) => ({
        name: name(named),
        claimMatch: { issuer: `https://${name(issuer - 8)}`, subject: text(subject) },
      });
      const { uid } = await world.make("identities", world.group, identity({}));
      has(succeeded(await world.api.get("identities", uid)), identity({}), "an identity with the longest texts");
      for (const [field, long] of [
        ["name", { named: 1_025 }],
        ["claimMatch.issuer", { issuer: 1_025 }],
        ["claimMatch.subject", { subject: 401 }],
      ] as const)
        rejected(
          await world.api.create("identities", world.group, identity(long)),
          { code: 3, field, message: /must have at most/ },
          `an identity with a longer ${field}`,
        );
    }),
  ),
  requirement(
    "sizes.resource",
    "A resource has at most 256 KiB.",
    overBoth(async (world) => {
      const claims = Object.fromEntries(values(6).map((key) => [key, "v".repeat(60_000)]));
      await isRefused(world, { claims }, "claimMatch", "an identity of 360,000 characters");
      const fits = Object.fromEntries(Object.entries(claims).slice(0, 4));
      const claimMatch = { issuer: "https://issuer.example.com", subject: "s", claims: fits };
      const { uid } = await world.make("identities", world.group, { name: "a", claimMatch });
      const update = { claimMatch: { audience: "a".repeat(60_000) } };
      const updated = await world.api.update("identities", uid, update, ["claim_match.audience"]);
      rejected(updated, { code: 3, field: "claimMatch" }, "an update that makes an identity too large");
      const after = succeeded(await world.api.get("identities", uid))["claimMatch"] as object;
      equal("audience" in after, false, "whether the identity was changed");
    }),
  ),
  requirement(
    "sizes.patterns",
    "Patterns are bounded in number, in length and in the size of their program: beyond it, they are refused on create.",
    overBoth(async (world) => {
      for (const [what, pattern] of Object.entries({
        "a pattern with nested repetitions": "((((a{1,40}){1,40}){1,40}){1,40})x",
        "a pattern of 4,097 characters": "a".repeat(4_097),
        "a pattern with repetitions that add up": "a{1,900}b{1,900}",
        "a product of repetitions": "((((.{0,10}){10}){5}){2})",
        "many ranges that ignore case": `(?i)${"[B-\\x{1E942}]".repeat(60)}`,
        "many Unicode classes": "\\pL".repeat(300),
      }))
        await isRefused(world, { claimPatterns: { ref: pattern } }, "claimMatch.claimPatterns.ref", what);
    }),
  ),
  requirement(
    "sizes.filters",
    "A filter has at most 1,000 different values; beyond it, the code is 3 on the filter.",
    overBoth(async ({ api }) => {
      const outcome = await api.list("advisories", { aliases: values(1_001) });
      rejected(outcome, { code: 3, field: "aliases" }, "a List with 1,001 values of a filter");
      succeeded(await api.list("advisories", { aliases: values(1_000) }), "a List with 1,000 values");
      const query = await api.list("advisories", { query: "x".repeat(257) });
      rejected(query, { code: 3, field: "query" }, "a free text of 257 characters");
    }),
    overGrpc("uids, of which a URL has no room for as many", async ({ grpc, group }) => {
      const ids = (count: number) =>
        Array.from({ length: count }, (_, index) => `${group}/${index.toString(16).padStart(16, "0")}`);
      const outcome = await grpc.list("groups", { uidp: { ids: ids(1_001) } });
      rejected(outcome, { code: 3, field: "uidp.ids" }, "a List with 1,001 uids");
      succeeded(await grpc.list("groups", { uidp: { ids: ids(1_000) } }), "a List with 1,000 uids");
    }),
  ),
  requirement(
    "sizes.duplicates",
    "Equal items of lists, filters, `aud`, `cap` and `scopes` count once.",
    overBoth(async (world) => {
      const uidp = { ids: Array.from({ length: 60 }, () => world.group) };
      has(succeeded(await world.api.list("groups", { uidp })), { totalCount: "1" }, "a List with equal ids");
      const { uid: identity, subjectToken } = await world.makeAssumable();
      const scopes = Array.from({ length: 100 }, () => world.group);
      const cap = Array.from({ length: 100 }, () => "groups.list");
      const { token } = succeeded(await world.exchange(subjectToken, { identity, scopes, cap }), "an exchange");
      equal(decodeJwt(String(token))["scopes"] ?? [world.group], [world.group], "scopes of the token");
      const bundles = Array.from({ length: 1_200 }, (_, index) => `b${index % 2}`);
      const repo = await world.api.create("repos", world.group, { name: "a", bundles });
      if (!repo.ok && repo.failure.code === 12) throw new Skip("this platform cannot create repos");
      equal(succeeded(repo, "a Create of a repo with equal bundles")["bundles"], ["b0", "b1"], "bundles");
    }),
  ),
  requirement(
    "sizes.downscope",
    "An exchange has at most 64 different `aud`, `scopes` and `cap`.",
    overBoth(async (world) => {
      const { uid: identity, subjectToken } = await world.makeAssumable();
      const scopes = Array.from({ length: 65 }, (_, index) => `${world.group}/${index.toString(16).padStart(16, "0")}`);
      rejected(
        await world.exchange(subjectToken, { identity, scopes }),
        { code: 3, field: "scopes" },
        "an exchange with 65 scopes",
      );
    }),
  ),
  untested(
    "sizes.pages",
    "A page has at most 4 MiB: it may then hold fewer resources than `page_size`. Responses of v1 are streamed.",
    "it needs megabytes of resources; covered by the tests of this project's platform",
  ),
  untested(
    "sizes.shares",
    "Shares of concurrency per root group, per identity, and by address before authentication.",
    "other callers would have to be denied service; covered by the tests of this project's platform and by `npm run bench -- abuse`",
  ),
]);
