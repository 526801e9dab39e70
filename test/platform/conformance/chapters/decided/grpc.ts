import { create, type DescMethodUnary, type DescService, fromBinary, type JsonObject } from "@bufbuild/protobuf";
import { StatusSchema } from "#src/platform/gen/google/rpc/status_pb.ts";
import { Health } from "#src/platform/gen/grpc/health/v1/health_pb.ts";
import { GetGroupRequestSchema, GroupsService } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { SecurityTokenService } from "#src/platform/gen/muster/platform/oidc/security_token_service_pb.ts";
import type { Failure, Outcome } from "../../client/api.ts";
import { type CollectionName, collections } from "../../client/collections.ts";
import { detail, equal, has, Mismatch, refused, succeeded, violationsOf } from "../../expect.ts";
import { type Chapter, overGrpc } from "../../sentence.ts";
import type { World } from "../../world.ts";

const unimplemented = 12;
const collectionNames = Object.keys(collections) as CollectionName[];
const services: readonly DescService[] = [
  ...Object.values(collections).map(({ service }) => service),
  SecurityTokenService,
];

/** A service's full name on the platform that is tried. */
const nameOf = ({ target }: World, { typeName }: DescService) => typeName.replace(/^muster\./, `${target.vendor}.`);

/** The methods that the contract names: all five of what is in IAM, List and Get of the rest. */
const methods: readonly DescMethodUnary[] = Object.values(collections).flatMap(
  ({ path, singular, plural, service }) => {
    const writes = path.startsWith("/iam/") ? [`Create${singular}`, `Update${singular}`, `Delete${singular}`] : [];
    const names = [`List${plural}`, `Get${singular}`, ...writes];
    return service.methods.filter(({ name }) => names.includes(name)) as DescMethodUnary[];
  },
);

/** The same mistakes over any transport, and what is answered. */
async function mistakes({ api, as, group }: Pick<World, "api" | "as" | "group">, missing: string) {
  const outcomes: readonly (readonly [string, Outcome<unknown>])[] = [
    ["a name that is none", await api.create("groups", group, { name: "A" })],
    ["a group that is not there", await api.get("groups", missing)],
    ["a group that is not empty", await api.delete("groups", group)],
    ["a call without a token", await as(undefined).get("groups", group)],
  ];
  return outcomes.map(([what, outcome]) => [what, refusal(outcome, what)] as const);
}

function refusal(outcome: Outcome<unknown>, what: string): Failure {
  if (outcome.ok) throw new Mismatch(what, "a refusal", outcome.body);
  return outcome.failure;
}

/** gRPC itself; that it answers as REST does, all other chapters show. */
export const grpc: Chapter = {
  title: "gRPC",
  origin: "decided",
  sentences: [
    {
      id: "grpc.services",
      says: "Packages `<vendor>.platform.iam.v2beta1` (GroupsService, IdentitiesService, RolesService, RoleBindingsService, IdentityProvidersService, AccountAssociationsService, GroupInvitesService), `<vendor>.platform.registry.v2beta1` (ReposService, TagsService), `<vendor>.platform.vulnerabilities.v2beta1` (AdvisoriesService), `<vendor>.platform.oidc` (SecurityTokenService: Exchange, ExchangeRefreshToken).",
      cases: [
        overGrpc("each lists", async ({ grpc: api, group }) => {
          for (const name of collectionNames) {
            const page = succeeded(await api.list(name, { uidp: { descendantsOf: group } }), `a List of ${name}`);
            has(page, { [name]: [], totalCount: "0", skipped: 0 }, `the page of ${name}`);
          }
        }),
        overGrpc("each has its methods", async ({ grpc: api }) => {
          for (const method of [...methods, ...Object.values(SecurityTokenService.method)]) {
            // An empty message names nothing that could be changed.
            const outcome = await api.as(undefined).send(method, {});
            refused(outcome, { code: 16 }, `${method.name} without a token`);
          }
        }),
        overGrpc("and no others", async ({ grpc: api }) => {
          const other = { ...GroupsService.method.getGroup, name: "MoveGroup" };
          refused(await api.send(other, {}), { code: unimplemented }, "a method that is none");
          const elsewhere = { ...GroupsService.method.getGroup, parent: SecurityTokenService };
          refused(await api.send(elsewhere, {}), { code: unimplemented }, "a method of another service");
        }),
      ],
    },
    {
      id: "grpc.vendor",
      says: "`<vendor>` is a setting: the same methods are served under another package name.",
      cases: [
        overGrpc("under the one that the run was told", async (world) => {
          const { uid } = succeeded(await world.grpc.create("groups", world.group, { name: "a" }));
          equal(succeeded(await world.grpc.get("groups", uid)).name, "a", "name");
        }),
        overGrpc("not under any", async ({ grpc: api, group }) => {
          const { getGroup } = GroupsService.method;
          const typeName = "nobody.platform.iam.v2beta1.GroupsService";
          const method = { ...getGroup, parent: { ...GroupsService, typeName } };
          refused(await api.send(method, { uid: group }), { code: unimplemented }, `a method of ${typeName}`);
        }),
      ],
    },
    {
      id: "grpc.bearer",
      says: "The bearer token is in the metadata.",
      cases: [
        overGrpc(async ({ grpc: api, group, target }) => {
          const { getGroup } = GroupsService.method;
          const message = create(GetGroupRequestSchema, { uid: group });
          const ask = (headers: Readonly<Record<string, string>>) => api.sendMessage(getGroup, message, headers);
          succeeded(await ask({ authorization: `Bearer ${target.token}` }), "a call with the token");
          succeeded(await ask({ authorization: `bearer ${target.token}` }), "with the scheme in small letters");
          for (const headers of [{}, { authorization: target.token }, { token: target.token }])
            refused(await ask(headers), { code: 16 }, `a call with ${Object.keys(headers).join() || "no metadata"}`);
        }),
      ],
    },
    {
      id: "grpc.status-details",
      says: "Errors travel as `google.rpc.Status` in `grpc-status-details-bin`, with the typed payloads of the contract.",
      cases: [
        overGrpc("on the wire", async ({ grpc: api, group }) => {
          const input: JsonObject = { parent: group, group: { name: "A" } };
          const told = await api.raw(GroupsService.method.createGroup, input);
          equal(told["grpc-status"], "3", "grpc-status");
          const bytes = Buffer.from(String(told["grpc-status-details-bin"]), "base64");
          const { code, message, details } = fromBinary(StatusSchema, bytes);
          equal(code, 3, "code of the Status");
          equal(message, 'Invalid argument: name: name must match "^[a-z0-9 ._-]{1,}$"', "message of the Status");
          equal(decodeURIComponent(String(told["grpc-message"])), message, "grpc-message");
          const types = details.map(({ typeUrl }) => typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
          equal(types.toSorted(), ["google.rpc.BadRequest", "google.rpc.ErrorInfo"], "the types of the payloads");
        }),
        overGrpc("each payload", async (world) => {
          await world.makeGroup();
          const missing = `${world.group}/${"0".repeat(16)}`;
          const [name, gone, full, anonymous] = await mistakes(asOver(world, "grpc"), missing);
          has(violationsOf(name?.[1] as Failure, "BadRequest")[0], { field: "name" }, "BadRequest");
          has(detail(gone?.[1] as Failure, "ResourceInfo"), { resourceName: missing }, "ResourceInfo");
          const [violation] = violationsOf(full?.[1] as Failure, "PreconditionFailure");
          has(violation, { type: "RESOURCE_NOT_EMPTY" }, "PreconditionFailure");
          has(detail(anonymous?.[1] as Failure, "ErrorInfo"), { reason: "UNAUTHENTICATED" }, "ErrorInfo");
        }),
        overGrpc("as over REST", async (world) => {
          await world.makeGroup();
          const missing = `${world.group}/${"0".repeat(16)}`;
          const overRest = await mistakes(asOver(world, "rest"), missing);
          for (const [index, [what, failure]] of (await mistakes(asOver(world, "grpc"), missing)).entries())
            equal(failure, overRest[index]?.[1], `the error of ${what}`);
        }),
      ],
    },
    {
      id: "grpc.health",
      says: "The standard health service, which nobody needs a token for.",
      cases: [
        overGrpc("what serves", async (world) => {
          const api = world.grpc.as(undefined);
          for (const service of ["", ...services.map((one) => nameOf(world, one))]) {
            const answer = succeeded(await api.send(Health.method.check, { service }), `a Check of "${service}"`);
            equal(answer["status"], "SERVING", `the status of "${service}"`);
          }
        }),
        overGrpc("what is unknown", async ({ grpc: api }) => {
          refused(await api.as(undefined).send(Health.method.check, { service: "nobody" }), { code: 5 });
        }),
      ],
    },
    {
      id: "grpc.transport",
      says: "Plaintext (h2c) and TLS.",
      untried: "a run tries the one that --url has; our own platform's tests try both",
    },
  ],
};

/** The admin over one of both. */
function asOver(world: World, transport: "rest" | "grpc"): Pick<World, "api" | "as" | "group"> {
  const api = world[transport];
  return { api, as: (token) => api.as(token), group: world.group };
}
