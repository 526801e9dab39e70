import { create, type DescMethodUnary, type DescService, fromBinary, type JsonObject } from "@bufbuild/protobuf";
import { StatusSchema } from "#src/platform/gen/google/rpc/status_pb.ts";
import { Health } from "#src/platform/gen/grpc/health/v1/health_pb.ts";
import { GetGroupRequestSchema, GroupsService } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { SecurityTokenService } from "#src/platform/gen/muster/platform/oidc/security_token_service_pb.ts";
import type { Failure, Outcome } from "../../client/api.ts";
import { type CollectionName, collections } from "../../client/collections.ts";
import { detail, equal, has, Mismatch, rejected, succeeded, violationsOf } from "../../expect.ts";
import { decidedSection, overGrpc, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

const unimplemented = 12;
const collectionNames = Object.keys(collections) as CollectionName[];
const services: readonly DescService[] = [
  ...Object.values(collections).map(({ service }) => service),
  SecurityTokenService,
];

/** A service's full name on the platform under test. */
const nameOf = ({ target }: World, { typeName }: DescService) => typeName.replace(/^muster\./, `${target.vendor}.`);

/** The methods that the contract names: all five of each collection in IAM, List and Get of the others. */
const methods: readonly DescMethodUnary[] = Object.values(collections).flatMap(
  ({ path, singular, plural, service }) => {
    const writes = path.startsWith("/iam/") ? [`Create${singular}`, `Update${singular}`, `Delete${singular}`] : [];
    const names = [`List${plural}`, `Get${singular}`, ...writes];
    return service.methods.filter(({ name }) => names.includes(name)) as DescMethodUnary[];
  },
);

/** Makes the same invalid calls over either transport. @returns their errors */
async function errorsOf({ api, as, group }: Pick<World, "api" | "as" | "group">, missing: string) {
  const outcomes: readonly (readonly [string, Outcome<unknown>])[] = [
    ["an invalid name", await api.create("groups", group, { name: "A" })],
    ["a missing group", await api.get("groups", missing)],
    ["a group that is not empty", await api.delete("groups", group)],
    ["a call without a token", await as(undefined).get("groups", group)],
  ];
  return outcomes.map(([what, outcome]) => [what, failureOf(outcome, what)] as const);
}

function failureOf(outcome: Outcome<unknown>, what: string): Failure {
  if (outcome.ok) throw new Mismatch(what, "an error", outcome.body);
  return outcome.failure;
}

/** gRPC itself. The other sections show that its responses equal those of REST. */
export const grpc = decidedSection("gRPC", [
  requirement(
    "grpc.services",
    "Packages `<vendor>.platform.iam.v2beta1` (GroupsService, IdentitiesService, RolesService, RoleBindingsService, IdentityProvidersService, AccountAssociationsService, GroupInvitesService), `<vendor>.platform.registry.v2beta1` (ReposService, TagsService), `<vendor>.platform.vulnerabilities.v2beta1` (AdvisoriesService), `<vendor>.platform.oidc` (SecurityTokenService: Exchange, ExchangeRefreshToken).",
    overGrpc("every List", async ({ grpc: api, group }) => {
      for (const name of collectionNames) {
        const page = succeeded(await api.list(name, { uidp: { descendantsOf: group } }), `a List of ${name}`);
        has(page, { [name]: [], totalCount: "0", skipped: 0 }, `the page of ${name}`);
      }
    }),
    overGrpc("every method", async ({ grpc: api }) => {
      for (const method of [...methods, ...Object.values(SecurityTokenService.method)]) {
        // An empty message cannot change anything.
        const outcome = await api.as(undefined).send(method, {});
        rejected(outcome, { code: 16 }, `${method.name} without a token`);
      }
    }),
    overGrpc("unknown methods", async ({ grpc: api }) => {
      const other = { ...GroupsService.method.getGroup, name: "MoveGroup" };
      rejected(await api.send(other, {}), { code: unimplemented }, "an unknown method");
      const elsewhere = { ...GroupsService.method.getGroup, parent: SecurityTokenService };
      rejected(await api.send(elsewhere, {}), { code: unimplemented }, "a method of another service");
    }),
    overGrpc(
      "unknown methods on the wire: the code is in the trailers, with HTTP status 200",
      async ({ grpc: api }) => {
        const { getGroup } = GroupsService.method;
        for (const method of [
          { ...getGroup, name: "Dragons" },
          { ...getGroup, parent: { ...GroupsService, typeName: "dragons.Dragons" } },
        ])
          has(
            await api.raw(method, {}),
            { ":status": 200, "grpc-status": String(unimplemented) },
            `the headers and trailers of ${method.parent.typeName}/${method.name}`,
          );
      },
    ),
  ),
  requirement(
    "grpc.vendor",
    "`<vendor>` is a setting: the same methods are served under another package name.",
    overGrpc("the package of --vendor", async (world) => {
      const { uid } = succeeded(await world.grpc.create("groups", world.group, { name: "a" }));
      equal(succeeded(await world.grpc.get("groups", uid)).name, "a", "name");
    }),
    overGrpc("another package", async ({ grpc: api, group }) => {
      const { getGroup } = GroupsService.method;
      const typeName = "nobody.platform.iam.v2beta1.GroupsService";
      const method = { ...getGroup, parent: { ...GroupsService, typeName } };
      rejected(await api.send(method, { uid: group }), { code: unimplemented }, `a method of ${typeName}`);
    }),
  ),
  requirement(
    "grpc.bearer",
    "The bearer token is in the metadata.",
    overGrpc(async ({ grpc: api, group, target }) => {
      const { getGroup } = GroupsService.method;
      const message = create(GetGroupRequestSchema, { uid: group });
      const get = (headers: Readonly<Record<string, string>>) => api.sendMessage(getGroup, message, headers);
      succeeded(await get({ authorization: `Bearer ${target.token}` }), "a call with the token");
      succeeded(await get({ authorization: `bearer ${target.token}` }), "a call with the scheme in lower case");
      for (const headers of [{}, { authorization: target.token }, { token: target.token }])
        rejected(await get(headers), { code: 16 }, `a call with ${Object.keys(headers).join() || "no metadata"}`);
    }),
  ),
  requirement(
    "grpc.status-details",
    "Errors travel as `google.rpc.Status` in `grpc-status-details-bin`, with the typed payloads of the contract.",
    overGrpc("on the wire", async ({ grpc: api, group }) => {
      const input: JsonObject = { parent: group, group: { name: "A" } };
      const headers = await api.raw(GroupsService.method.createGroup, input);
      equal(headers["grpc-status"], "3", "grpc-status");
      const bytes = Buffer.from(String(headers["grpc-status-details-bin"]), "base64");
      const { code, message, details } = fromBinary(StatusSchema, bytes);
      equal(code, 3, "code of the Status");
      equal(message, 'Invalid argument: name: name must match "^[a-z0-9 ._-]{1,}$"', "message of the Status");
      equal(decodeURIComponent(String(headers["grpc-message"])), message, "grpc-message");
      const types = details.map(({ typeUrl }) => typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
      equal(types.toSorted(), ["google.rpc.BadRequest", "google.rpc.ErrorInfo"], "the types of the payloads");
    }),
    overGrpc("each payload", async (world) => {
      await world.makeGroup();
      const missing = `${world.group}/${"0".repeat(16)}`;
      const [name, gone, full, anonymous] = await errorsOf(asOver(world, "grpc"), missing);
      has(violationsOf(name?.[1] as Failure, "BadRequest")[0], { field: "name" }, "BadRequest");
      has(detail(gone?.[1] as Failure, "ResourceInfo"), { resourceName: missing }, "ResourceInfo");
      const [violation] = violationsOf(full?.[1] as Failure, "PreconditionFailure");
      has(violation, { type: "RESOURCE_NOT_EMPTY" }, "PreconditionFailure");
      has(detail(anonymous?.[1] as Failure, "ErrorInfo"), { reason: "UNAUTHENTICATED" }, "ErrorInfo");
    }),
    overGrpc("the same as over REST", async (world) => {
      await world.makeGroup();
      const missing = `${world.group}/${"0".repeat(16)}`;
      const overRest = await errorsOf(asOver(world, "rest"), missing);
      for (const [index, [what, failure]] of (await errorsOf(asOver(world, "grpc"), missing)).entries())
        equal(failure, overRest[index]?.[1], `the error of ${what}`);
    }),
  ),
  requirement(
    "grpc.health",
    "The standard health service is available without a token.",
    overGrpc("the platform and its services", async (world) => {
      const api = world.grpc.as(undefined);
      for (const service of ["", ...services.map((name) => nameOf(world, name))]) {
        const response = succeeded(await api.send(Health.method.check, { service }), `a Check of "${service}"`);
        equal(response["status"], "SERVING", `the status of "${service}"`);
      }
    }),
    overGrpc("an unknown service", async ({ grpc: api }) => {
      rejected(await api.as(undefined).send(Health.method.check, { service: "nobody" }), { code: 5 });
    }),
  ),
  untested(
    "grpc.transport",
    "Plaintext (h2c) and TLS.",
    "a run uses the one of --url; covered by the tests of this project's platform",
  ),
]);

/** The admin over one of the transports. */
function asOver(world: World, transport: "rest" | "grpc"): Pick<World, "api" | "as" | "group"> {
  const api = world[transport];
  return { api, as: (token) => api.as(token), group: world.group };
}
