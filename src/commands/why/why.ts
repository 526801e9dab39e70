import type { Resource } from "#src/api/custom-resource.ts";
import { resourceKindOf } from "#src/api/resource-kind.ts";
import { type CommandContext, CommandFailure, defineCommand } from "#src/commands/command.ts";
import { ExplainedError } from "#src/commands/explained-error.ts";
import { tenantResource } from "#src/commands/operator/tenancy-caches.ts";
import { formatAnswer } from "#src/commands/output/answer-format.ts";
import { noteText } from "#src/commands/output/note.ts";
import { clusterConnection } from "#src/commands/reader/cluster-connection.ts";
import { ClusterReads, type Reading } from "#src/commands/reader/cluster-reads.ts";
import { connectReader, type PlatformReader } from "#src/commands/reader/connect-reader.ts";
import { operatorPlaces } from "#src/commands/reader/operator-place.ts";
import { podIdentityOf } from "#src/commands/reader/pod-identity.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { KubeClient } from "#src/kube/client.ts";
import { type Lease, leaseResource } from "#src/kube/lease-client.ts";
import { namespaceResource } from "#src/kube/namespaces.ts";
import type { KubeObject, ResourceKind } from "#src/kube/object.ts";
import { parseTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { answerText, answerValue, type WhyAnswer } from "./answer.ts";
import { Chain, type ChainSources } from "./chain.ts";
import { leaderLink } from "./leader-link.ts";
import type { Finding, Link } from "./link.ts";
import { addressOf } from "./object-address.ts";
import { type PlatformView, platformLink } from "./platform-link.ts";
import { recentEvents } from "./recent-events.ts";
import { whySettings, type WhyValues } from "./settings.ts";
import { tenantFinding } from "./tenant-finding.ts";

const notReady = 3;

export default defineCommand({
  summary: "print why an object is not Ready, and what to do about it",
  description: `Follows the object to what it refers to, to its Tenant, to the Tenant's credential, and to the operator that leads, and prints the cause and its fix. It only reads:
  muster why shop/RoleBinding/ci-edits
  muster why mgroup/web -n shop
  muster why Tenant/shop
What you may not read is unknown, and is never taken for the cause. The exit code is 0 if the object is Ready, 3 if it is not, and 1 after a failure.`,
  settings: whySettings,
  run: async (values, context) => {
    const answer = await answerOf(values, context);
    context.stdout.write(
      await formatAnswer(values.output, answerValue(answer), answerText(answer), context.terminal.tableColumns),
    );
    if (!answer.ready) throw new CommandFailure(`${answer.object} is not Ready`, notReady);
  },
});

async function answerOf(values: WhyValues, context: CommandContext): Promise<WhyAnswer> {
  const { env, signal } = context;
  const connection = await clusterConnection(values, env);
  const address = addressOf(values.object, kinds, values.namespace ?? connection.namespace ?? "default");
  const inPod = podIdentityOf(values, context);
  const operatorOf = operatorPlaces(values, inPod, connection.namespace);
  const kube = new KubeClient({ connection, clock, connections: 4, deadlineMs: values.timeout });
  const cluster = new ClusterReads(kube, signal);
  const sources: ChainSources = { cluster, kinds, operatorOf, isOperator: inPod !== undefined };
  const leaderOf = async (operatorClass: string) => {
    const operator = operatorOf(operatorClass);
    const lease = await cluster.get<Lease>(leaseResource, operator.namespace, operator.name);
    return leaderLink(lease, operator, clock.now());
  };
  try {
    if (address.kind === "Tenant") {
      const tenant = parseTenant(await theObject(cluster, tenantResource, undefined, address.name));
      const finding = await tenantFinding(tenant, sources);
      return answerFrom(`Tenant/${address.name}`, finding, [await leaderOf(tenant.class)], []);
    }
    const { kind, name, namespace } = address;
    const resource = await theObject<Resource>(cluster, resourceKindOf(kind.definition), namespace, name);
    const chain = new Chain(sources);
    const [finding, leader, platform, events] = await Promise.all([
      chain.of(kind, resource),
      chain.classOf(namespace, resource.status?.tenant).then(leaderOf),
      readPlatform(values, context, (view) => platformLink(view, kind, resource, signal)),
      recentEvents(cluster, namespace, resource.metadata.uid),
    ]);
    return answerFrom(`${namespace}/${kind.name}/${name}`, finding, [leader, platform], events);
  } finally {
    await kube.close();
  }
}

/** @param further what every object depends on. Without a leader, nothing changes, whatever else is wrong. */
function answerFrom(
  object: string,
  { causes, links }: Finding,
  further: readonly Link[],
  events: WhyAnswer["events"],
): WhyAnswer {
  const ready = links[0]?.state === "ok" && causes.length === 0;
  const stopped = ready ? [] : further.filter(({ state }) => state === "problem");
  return { object, ready, causes: [...stopped, ...causes], chain: [...links, ...further], events };
}

/** @throws {Error} if there is no such object, or it cannot be read */
async function theObject<T extends KubeObject>(
  cluster: ClusterReads,
  resource: ResourceKind,
  namespace: string | undefined,
  name: string,
): Promise<T> {
  const read = await cluster.get<T>(resource, namespace, name);
  if (read.state === "found") return read.value;
  const shown = namespace === undefined ? `Tenant/${name}` : `${namespace}/${resource.kind}/${name}`;
  if (read.state === "unknown")
    throw new ExplainedError("cluster-access", `${shown} cannot be read: ${read.because}. ${noteText(read.fix)}`);
  const missing = await missingPart(cluster, resource, namespace);
  throw new Error(
    `there is no object ${shown}${missing}. kubectl get ${resource.plural}.${resource.group} -A lists those that exist`,
  );
}

/** Why an object does not exist, if that is not only its name. */
async function missingPart(
  cluster: ClusterReads,
  resource: ResourceKind,
  namespace: string | undefined,
): Promise<string> {
  const all: Reading<unknown> = await cluster.list(resource, namespace);
  if (all.state === "absent") return `, and the cluster has no CRD of the kind ${resource.kind}: apply crds/`;
  const found = namespace === undefined ? undefined : await cluster.get(namespaceResource, undefined, namespace);
  return found?.state === "absent" ? `, nor a namespace ${namespace}` : "";
}

async function readPlatform(
  values: WhyValues,
  context: CommandContext,
  read: (view: PlatformView) => Promise<Link>,
): Promise<Link> {
  if (values.noPlatform) return read({ unread: "--no-platform is set", fix: "Leave --no-platform out." });
  let reader: PlatformReader;
  try {
    reader = await connectReader(values, context);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return read({
      unread: error instanceof Error ? error.message : String(error),
      fix: "Log in: muster login. Or give --platform-url and --token-file.",
    });
  }
  try {
    return await read({ api: reader.api, url: reader.platformUrl });
  } finally {
    await reader.close();
  }
}
