import { Identities } from "#src/platform/gen/muster/platform/iam/identities_pb.ts";
import { IdentitiesService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { Registry } from "#src/platform/gen/muster/platform/registry/repos_pb.ts";
import { ReposService } from "#src/platform/gen/muster/platform/registry/v2beta1/repo_pb.ts";
import type { Method } from "../../client/api.ts";
import { equal, has, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overGrpc, requirement } from "../../requirement.ts";
import { makeRepo } from "./repos.ts";

const awsAccount = "123456789012";
const exact = { arn: "arn:aws:iam::123456789012:role/builds", userId: "AROAEXAMPLE:builds" };
const patterns = { arnPattern: "arn:aws:iam::123456789012:role/.*", userIdPattern: "AROAEXAMPLE:.*" };

/** The tiers, with their numbers in v2beta1 and in v1. In v1's JSON they have no prefix. */
const tiers = [
  { name: "APPLICATION", v2: 1, v1: 4 },
  { name: "BASE", v2: 2, v1: 5 },
  { name: "FIPS", v2: 3, v1: 6 },
  { name: "AI", v2: 4, v1: 7 },
  { name: "DEVTOOLS", v2: 5, v1: 8 },
  { name: "COMMERCIAL", v2: 6, v1: 9 },
] as const;
const listRepos: Method = { http: { verb: "GET", path: "/registry/v1/repos" }, rpc: Registry.method.listRepos };

/** Messages that differ between v1 and v2beta1, written and read by the numbers of their fields. */
export const wireNumbers = decidedSection("Numbers on the wire", [
  requirement(
    "wire.aws-identity",
    "`AWSIdentity` of v2beta1 has `aws_account` 1, `arn` 2, `arn_pattern` 3, `user_id` 4, `user_id_pattern` 5; that of v1 has `aws_account` 1, `arn` 3, `arn_pattern` 4, `user_id` 5, `user_id_pattern` 6.",
    ...((
      [
        ["exact values", { 1: awsAccount, 2: exact.arn, 4: exact.userId }, exact, { 3: exact.arn, 5: exact.userId }],
        [
          "patterns",
          { 1: awsAccount, 3: patterns.arnPattern, 5: patterns.userIdPattern },
          patterns,
          { 4: patterns.arnPattern, 6: patterns.userIdPattern },
        ],
      ] as const
    ).map(([name, numbered, json, v1]) =>
      overGrpc(name, async ({ grpc, group, rest }) => {
        const input = { 1: group, 2: { 2: "aws", 22: numbered } };
        const created = await grpc.sendNumbered(IdentitiesService.method.createIdentity, input);
        equal(created.messageAt(22).texts(), numbered, "awsIdentity in the response");
        const uid = created.textAt(1);
        const identity = succeeded(await rest.get("identities", uid));
        equal(identity["awsIdentity"], { awsAccount, ...json }, "awsIdentity over REST");
        const listed = await grpc.sendNumbered(Identities.method.list, { 2: uid });
        equal(listed.messageAt(1).messageAt(13).texts(), { 1: awsAccount, ...v1 }, "awsIdentity in v1");
      }),
    ) as [ReturnType<typeof overGrpc>, ...ReturnType<typeof overGrpc>[]]),
  ),
  requirement(
    "wire.catalog-tier",
    "`CatalogTier` of v1 is another enum than that of v2beta1: 0 `UNKNOWN`, 4 `APPLICATION`, 5 `BASE`, 6 `FIPS`, 7 `AI`, 8 `DEVTOOLS`, 9 `COMMERCIAL`.",
    overGrpc("the numbers", async (world) => {
      for (const { name, v1, v2 } of tiers) {
        const { uid } = await makeRepo(world, { catalogTier: `CATALOG_TIER_${name}` });
        const current = await world.grpc.sendNumbered(ReposService.method.getRepo, { 1: uid });
        equal(current.numberAt(4), v2, `${name} in v2beta1`);
        const listed = await world.grpc.sendNumbered(Registry.method.listRepos, { 3: uid });
        equal(listed.messageAt(1).numberAt(3), v1, `${name} in v1`);
      }
      const { uid } = await makeRepo(world);
      const listed = await world.grpc.sendNumbered(Registry.method.listRepos, { 3: uid });
      equal(listed.messageAt(1).numberAt(3), 0, "no tier in v1");
    }),
    overBoth("the names", async (world) => {
      const tierOf = async (uid: string) => {
        const { items } = succeeded(await world.api.call(listRepos, { id: uid })) as unknown as Listed;
        return items[0] ?? {};
      };
      for (const { name } of tiers) {
        const { uid } = await makeRepo(world, { catalogTier: `CATALOG_TIER_${name}` });
        has(await tierOf(uid), { catalogTier: name }, "the repo in v1");
      }
      const { uid } = await makeRepo(world);
      has(await tierOf(uid), { catalogTier: "UNKNOWN" }, "the repo without a tier in v1");
    }),
  ),
]);

interface Listed {
  readonly items: readonly Readonly<Record<string, unknown>>[];
}
