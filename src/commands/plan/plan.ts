import { finalizer } from "#src/api/custom-resource.ts";
import { type CommandContext, defineCommand } from "#src/commands/command.ts";
import { clusterConnection } from "#src/commands/reader/cluster-connection.ts";
import { connectReader } from "#src/commands/reader/connect-reader.ts";
import { ReadBudget } from "#src/commands/reader/read-budget.ts";
import { requireFewObjects } from "#src/commands/reader/object-limit.ts";
import { readFix } from "#src/commands/reader/read-failure.ts";
import { keepHeapSmall } from "#src/commands/reader/small-heap.ts";
import { SettingsError } from "#src/commands/settings/settings.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { KubeClient } from "#src/kube/client.ts";
import { type KubeObject, keyOf } from "#src/kube/object.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import { ownerOf } from "#src/platform-client/owner-record.ts";
import { subjectOf } from "#src/plan/make-plan.ts";
import { type ClusterObject, MemoryCluster } from "#src/plan/memory-cluster.ts";
import { shortList } from "#src/text/short-list.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { systemClock } from "#src/time/clock.ts";
import { VirtualClock } from "#src/time/virtual-clock.ts";
import type { ShownPlan } from "./format-plan.ts";
import { type EarlierApply, appliedFields } from "./applied-fields.ts";
import { applyManifests } from "./apply-manifests.ts";
import { withAssumedOperator } from "./assumed-operator.ts";
import { callerOf } from "./caller.ts";
import { readCluster, readOwnerId, watchedBy } from "./read-cluster.ts";
import { type Manifest, type ReadManifests, readManifests } from "./read-manifests.ts";
import { specSchemasOf } from "./read-object.ts";
import { kustomize } from "./kustomize.ts";
import { planWithAccess } from "./plan-with-access.ts";
import { reportPlan } from "./report-plan.ts";
import { planSettings, type PlanValues } from "./settings.ts";

export default defineCommand({
  summary: "show what the operator would do if manifests were applied",
  description: `Prints the changes in order, with the reasons, and then who gains or loses capabilities. Reads the cluster and the platform, and writes nothing. Log in as somebody who sees the same groups as the operator, and give its settings, which are variables in ConfigMaps of its namespace:
  kubectl -n muster-system get configmaps -o yaml
Then:
  muster plan -f manifests/
  muster plan -k overlays/production/
  muster plan -f old.yaml --delete
  muster plan --live
  muster plan -f everything/ --offline --owner-id prod \\
    --service-account-issuer https://issuer.example.com
The exit code is 0 if nothing would change, 2 if something would, 3 if something is refused or may exist where you may not look, and 1 after a failure. Wrong settings are also a failure.`,
  settings: planSettings,
  hasOwnExitCodes: () => true,
  run: async (values, context) => {
    checkSettings(values);
    const plan = await planOf(values, context);
    await reportPlan(plan, values.output, context);
  },
});

/** @throws {SettingsError} */
function checkSettings(values: PlanValues): void {
  const { delete: deletes, filename, kustomize: folders, live, offline, ownerId, serviceAccountIssuer } = values;
  const mistakes: string[] = [];
  const hasFiles = filename.length + folders.length > 0;
  if (!hasFiles && !live) mistakes.push("--filename (-f), --kustomize (-k) or --live is required");
  if (hasFiles && live && !offline) mistakes.push("--live plans no change: leave out --filename and --kustomize");
  if (live && deletes) mistakes.push("--live plans no change: leave out --delete");
  if (offline && !hasFiles) mistakes.push("--offline reads the cluster from files: give --filename or --kustomize");
  if (offline && ownerId === undefined) mistakes.push("--offline needs --owner-id");
  if (offline && serviceAccountIssuer === undefined) mistakes.push("--offline needs --service-account-issuer");
  if (mistakes.length > 0) throw new SettingsError(mistakes);
}

/** What Kubernetes knows. */
interface ReadWorld extends ReadManifests {
  readonly objects: readonly KubeObject[];
  /** What an earlier apply has set, to the objects in the files, by subject. */
  readonly appliedTo?: ReadonlyMap<string, EarlierApply>;
  readonly ownerId: string;
  readonly serviceAccountIssuer: string;
}

async function planOf(values: PlanValues, context: CommandContext): Promise<ShownPlan> {
  keepHeapSmall();
  const budget = new ReadBudget("read no cluster with --offline");
  const read = values.offline ? readOffline : readOnline;
  const { objects, manifests, notPlanned, appliedTo, ...facts } = await read(values, context, budget);
  const clock = new VirtualClock(systemClock.now());
  const cluster = new MemoryCluster(objects, clock);
  if (values.delete) removeFrom(cluster, manifests, context);
  else if (!values.live) applyManifests(cluster, manifests, specSchemasOf(kinds), appliedTo);
  const reader = await connectReader({ ...values, timeout: values.platformTimeout }, context);
  const { platformUrl } = reader;
  const { authUrl = reader.authUrl } = values;
  const operator = { identity: values.identity, owner: ownerOf(facts.ownerId, values.class), groups: values.rootGroup };
  const reads = budget.platform(reader.api);
  const platform = { ...reader, api: values.assumeOperator ? withAssumedOperator(reads, operator) : reads };
  try {
    const world = {
      kinds,
      cluster,
      clock,
      caller: callerOf(platform, context),
      subjects: values.live ? undefined : new Set(manifests.map(({ object }) => subjectOf(object))),
      facts,
      isWholeCluster: !values.offline,
      platform,
    };
    const plan = await planWithAccess({ ...values, platformUrl, authUrl }, world, context.signal);
    return notPlanned.length === 0 ? plan : { ...plan, notPlanned };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    throw new Error(`${oneLine(error.message)}. ${readFix(error)}`, { cause: error });
  } finally {
    await platform.close();
  }
}

/** Deletes the objects of manifests, and warns of those that do not exist, as `kubectl delete` does. */
function removeFrom(cluster: MemoryCluster, manifests: readonly Manifest[], { stderr }: CommandContext): void {
  const absent = manifests.filter(({ object }) => cluster.find(object.kind, keyOf(object)) === undefined);
  for (const { object } of manifests) cluster.remove(object.kind, keyOf(object));
  if (absent.length === 0) return;
  const names = shortList(absent.map(({ object }) => subjectOf(object)));
  stderr.write(`muster: warning: these objects do not exist, so nothing is deleted for them: ${names}\n`);
}

async function readOffline(values: PlanValues, context: CommandContext): Promise<ReadWorld> {
  const { namespace = "default", ownerId = "", serviceAccountIssuer = "" } = values;
  const { manifests, notPlanned } = await manifestsOf(values, context, namespace);
  // Nobody else says what exists: all of it, unless it is to be applied. Then, what is used exists, and so does what has a status.
  const given = manifests.map(({ object }) => object);
  const objects =
    values.delete || values.live
      ? given.map(served)
      : given.filter(({ kind, status }) => kind === "Tenant" || kind === "Namespace" || status !== undefined);
  return { objects, manifests, notPlanned, ownerId, serviceAccountIssuer };
}

/** An object as it is where an operator runs, which adds the finalizer before it creates anything: files do not say so. */
function served(object: ClusterObject): ClusterObject {
  return object.kind === "Namespace"
    ? object
    : { ...object, metadata: { ...object.metadata, finalizers: [finalizer] } };
}

async function manifestsOf(
  { filename, kustomize: folders }: PlanValues,
  context: CommandContext,
  namespace: string,
): Promise<ReadManifests> {
  const others = await Promise.all(
    folders.map(async (folder) => ({ name: `--kustomize ${folder}`, text: await kustomize(folder, context) })),
  );
  const { signal, stdin } = context;
  return readManifests(filename, { stdin, signal, others, namespace, kinds });
}

async function readOnline(values: PlanValues, context: CommandContext, budget: ReadBudget): Promise<ReadWorld> {
  const { env, signal } = context;
  const connection = await clusterConnection(values, env);
  const namespace = values.namespace ?? connection.namespace ?? "default";
  const read = await manifestsOf(values, context, namespace);
  const kube = new KubeClient({ connection, clock: systemClock });
  const planned = new Set(read.manifests.map(({ object }) => subjectOf(object)));
  const appliedTo = new Map<string, EarlierApply>();
  const noteApplied = (object: KubeObject) => {
    const subject = subjectOf(object);
    if (planned.has(subject)) appliedTo.set(subject, appliedFields(object));
  };
  try {
    const narrow = "plan the manifests of one Tenant with --offline, which reads no cluster";
    await requireFewObjects(kube, watchedBy(kinds), { ...values, narrow }, signal);
    const [objects, ownerId, serviceAccountIssuer] = await Promise.all([
      readCluster(budget.cluster(kube), kinds, signal, noteApplied),
      values.ownerId ?? readOwnerId(kube, signal),
      values.serviceAccountIssuer ?? readIssuer(kube, signal),
    ]);
    return { objects, ...read, appliedTo, ownerId, serviceAccountIssuer };
  } finally {
    await kube.close();
  }
}

async function readIssuer(kube: KubeClient, signal: AbortSignal): Promise<string> {
  return kube.serviceAccountIssuer({ signal }).catch((error: Error) => {
    throw new Error(`${error.message}. Set --service-account-issuer`, { cause: error });
  });
}
