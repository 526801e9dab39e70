import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { Groups } from "#src/platform/gen/muster/platform/iam/groups_pb.ts";
import { Identities } from "#src/platform/gen/muster/platform/iam/identities_pb.ts";
import { RoleBindings } from "#src/platform/gen/muster/platform/iam/role_bindings_pb.ts";
import { Roles } from "#src/platform/gen/muster/platform/iam/roles_pb.ts";
import { AccountAssociationsService } from "#src/platform/gen/muster/platform/iam/v2beta1/account_association_pb.ts";
import { GroupInvitesService } from "#src/platform/gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { GroupsService } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentitiesService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { IdentityProvidersService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { RoleBindingsService } from "#src/platform/gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { RolesService } from "#src/platform/gen/muster/platform/iam/v2beta1/role_pb.ts";
import { SecurityTokenService } from "#src/platform/gen/muster/platform/oidc/security_token_service_pb.ts";
import { Registry as Repos } from "#src/platform/gen/muster/platform/registry/repos_pb.ts";
import { ReposService } from "#src/platform/gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { TagsService } from "#src/platform/gen/muster/platform/registry/v2beta1/tag_pb.ts";
import { AdvisoriesService } from "#src/platform/gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { Health } from "#src/platform/gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "#src/platform/gen/grpc/reflection/v1/reflection_pb.ts";
import { checkRpcResponse, operationIdOf } from "./check-rpc-response.ts";
import { Http2Session } from "./http2-session.ts";
import { Random } from "./random.ts";
import { collectionOf, type RequestSources, hintsOf } from "./rest-request.ts";
import type { FuzzingOptions } from "./rest-fuzzing.ts";
import { type RpcRequest, rpcRequest } from "./rpc-request.ts";

const services: readonly DescService[] = [
  GroupsService,
  IdentitiesService,
  RolesService,
  RoleBindingsService,
  IdentityProvidersService,
  AccountAssociationsService,
  GroupInvitesService,
  ReposService,
  TagsService,
  AdvisoriesService,
  SecurityTokenService,
  Groups,
  Identities,
  Roles,
  RoleBindings,
  Repos,
  Health,
  ServerReflection,
];

/** All methods but Watch, whose stream lasts until the client ends it. */
const methods: readonly DescMethod[] = services
  .flatMap((service) => service.methods)
  .filter(({ name }) => name !== "Watch");

const concurrency = 16;

/**
 * Calls all methods over gRPC, gRPC-web and Connect.
 * @returns the number of calls by code; -1 counts those without one
 */
export async function fuzzRpc(options: FuzzingOptions): Promise<ReadonlyMap<number, number>> {
  const { sources, url, seed, requests, timeLimit, findings } = options;
  const { pool, callers, document } = sources;
  const codes = new Map<number, number>();
  // A server may close the session of a client that sends too many invalid requests.
  const [intact, mutated] = [new Http2Session(url), new Http2Session(url)];
  for (let done = 0; done < requests; done += concurrency) {
    const batch = Array.from({ length: Math.min(concurrency, requests - done) }, (_, index) => {
      const number = done + index + 1;
      const random = new Random(seed, `rpc ${number}`);
      const method = random.pick(methods);
      const isExchange = method.parent === SecurityTokenService;
      const assumed = callers.assumableIdentity(random);
      const known = isExchange ? { identity: assumed.uid, aud: callers.audience } : uidsFor(method, sources, random);
      const hints = hintsOf(pool, known);
      const bearer = isExchange
        ? callers.subjectToken(method.name !== "Exchange", assumed, random)
        : callers.bearer(random);
      return { number, request: rpcRequest(method, bearer, hints, random) };
    });
    await Promise.all(
      batch.map(async ({ number, request }) => {
        const session = request.isIntact ? intact : mutated;
        const ending = await session.send(request.path, request.headers, request.body, timeLimit);
        const { code, violations } = checkRpcResponse(document, request, ending);
        codes.set(code ?? -1, (codes.get(code ?? -1) ?? 0) + 1);
        for (const problem of violations)
          findings.add({
            number,
            kind: "rpc",
            subject: `${request.protocol} ${request.path}`,
            problem,
            reproduction: shellLineOf(request, url),
          });
      }),
    );
    options.progress(done + batch.length);
  }
  for (const session of [intact, mutated]) session.close();
  return codes;
}

/** Likely uids for the method, taken from its REST path. */
function uidsFor(
  method: DescMethod,
  { document, pool }: RequestSources,
  random: Random,
): Readonly<Record<string, string>> {
  const path = document.operations.find(({ id }) => id === operationIdOf(method))?.path;
  if (path === undefined) return {};
  const collection = collectionOf(path);
  const uid = pool.uid(collection, random) ?? pool.home;
  return { uid, id: uid, parent: pool.uid(collection === "tags" ? "repos" : "groups", random) ?? pool.home };
}

function shellLineOf({ path, headers, body }: RpcRequest, url: string): string {
  const sent = Object.entries(headers).filter(([name]) => name !== "authorization" && name !== "te");
  const given = sent.map(([name, value]) => `-H "${name}: ${value.slice(0, 200)}"`).join(" ");
  const bytes = body.subarray(0, 3_000).toString("base64");
  return `base64 -d <<<${bytes} | curl -si --http2-prior-knowledge -H "authorization: Bearer $ADMIN_TOKEN" -H "te: trailers" ${given} --data-binary @- "${url}${path}"`;
}
