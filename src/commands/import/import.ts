import { type CommandContext, CommandFailure, defineCommand } from "#src/commands/command.ts";
import { ExplainedError } from "#src/commands/explained-error.ts";
import { withExitCode } from "#src/commands/login/exit-code.ts";
import { kubeSystemUid } from "#src/kube/namespaces.ts";
import { formatAnswer } from "#src/commands/output/answer-format.ts";
import { callerOf } from "#src/commands/plan/caller.ts";
import { clusterConnection } from "#src/commands/reader/cluster-connection.ts";
import { ReadBudget } from "#src/commands/reader/read-budget.ts";
import { connectReader } from "#src/commands/reader/connect-reader.ts";
import { readFailure } from "#src/commands/reader/read-failure.ts";
import { SettingsError } from "#src/commands/settings/settings.ts";
import { type ExistingTree, hasMarkers } from "#src/import/existing-tree.ts";
import { importFiles, namesInFiles, tenantFile } from "#src/import/import-files.ts";
import { importTree } from "#src/import/import-tree.ts";
import { stemOf } from "#src/import/object-names.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { ownerHash } from "#src/kinds/marker.ts";
import { KubeClient } from "#src/kube/client.ts";
import { systemClock } from "#src/time/clock.ts";
import { earlierNamespace } from "./earlier-namespace.ts";
import { filesOfImport, writeImport } from "./import-folder.ts";
import {
  type ImportReport,
  isEverything,
  reportOf,
  reportText,
  summaryOf,
  type UnusedSetting,
} from "./import-report.ts";
import { isSameTenant, otherTenants } from "./other-tenants.ts";
import { readClusterObjects } from "./read-cluster-objects.ts";
import { readTree } from "./read-tree.ts";
import { importSettings, type ImportValues } from "./settings.ts";
import { groupNamed } from "#src/commands/access/named.ts";
import { listStable } from "#src/commands/reader/list-stable.ts";
import { groupKind } from "#src/kinds/group.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { uidPattern } from "#src/platform-client/uid.ts";

const incomplete = 3;

export default defineCommand({
  summary: "write manifests for what exists on the platform",
  description: `Reads a group and everything below it, and writes a folder with a manifest for each group, identity, role, role binding, identity provider and account association, and a Tenant that permits them. It only reads, and changes nothing on the platform.
First observe, which never writes to the platform; when all objects are Ready, write the same manifests again, to take over:
  muster import --group acme/shop --dir shop/
  muster plan -f shop/
  kubectl apply -k shop/
  muster import --group acme/shop --dir shop/ --adopt
  muster plan -f shop/
It lists, with the reason, what it cannot declare or take over, and what it leaves out because objects of the cluster declare it already. It never replaces a file that you edited or that something else wrote.
The exit code is 0 if everything is declared as you asked, 3 if something is listed, could not be seen or a file was kept, and 1 after a failure.`,
  settings: importSettings,
  run: async (values, context) => {
    const report = await withExitCode(() => runImport(values, context));
    context.stdout.write(await formatAnswer(values.output, report, reportText(report), context.terminal.tableColumns));
    if (!isEverything(report)) throw new CommandFailure(summaryOf(report), incomplete);
  },
});

async function runImport(values: ImportValues, context: CommandContext): Promise<ImportReport> {
  const { dir, breakGlass, withoutSecret, platformTimeout: timeout } = values;
  const adopt = adoptsOf(values);
  const reader = await connectReader({ ...values, timeout }, context);
  try {
    const budget = new ReadBudget(
      "import smaller groups one by one with --group, or read no cluster with --no-cluster",
    );
    const api = budget.platform(reader.api);
    const caller = callerOf(reader, context);
    const group = await findGroup(api, values.group, context.signal);
    const [{ tree, unseen, isComplete }, cluster] = await Promise.all([
      readTree(api, { kinds, group, caller, elsewhere: adopt, signal: context.signal }),
      readClusterObjects(kinds, values, context, budget),
    ]);
    const earlierFiles = inFolder(dir, () => filesOfImport(dir, group));
    const earlier = inFolder(dir, () => earlierNamespace(dir, group, earlierFiles, values.namespace));
    const namespace = values.namespace ?? earlier ?? namespaceOf(tree.group.name);
    const owners = hasMarkers(tree) ? await ownersOf(values, context) : [];
    const imported = importTree(tree, {
      namespace,
      operatorClass: values.class,
      earlierNames: namesInFiles(earlierFiles, kinds),
      adopt,
      owners,
      breakGlass,
      withoutSecret,
      clusterIssuer: values.serviceAccountIssuer,
      publicIssuers: values.publicIssuer,
      cluster: cluster.read ? cluster.value : [],
    });
    const files = inFolder(dir, () => writeImport(dir, importFiles(imported), { group, isComplete }));
    const { overlapping: tenants, sameName } = await otherTenants(namespace, values, context);
    // The Tenant of an earlier import is its own.
    const isForeign = sameName !== undefined && !earlierFiles.includes(tenantFile);
    const replacesTenant = isForeign && !isSameTenant(imported.tenant, sameName);
    return reportOf(imported, files, {
      group: tree.group,
      dir,
      adopt,
      unseen,
      cluster,
      tenants,
      replacesTenant,
      unused: unusedIn(values, tree),
    });
  } catch (error) {
    throw readFailure(error);
  } finally {
    await reader.close();
  }
}

/** What the settings name that is neither in the group nor has a role there, such as a mistyped uid: it protects nothing. */
function unusedIn(
  { breakGlass, withoutSecret }: ImportValues,
  { identities, identityProviders, roleBindings }: ExistingTree,
): readonly UnusedSetting[] {
  const holders = new Set([...identities, ...roleBindings.map(({ identity }) => identity)].map(({ uid }) => uid));
  const providers = new Set(identityProviders.map(({ uid }) => uid));
  return [
    ...breakGlass.filter((uid) => !holders.has(uid)).map((uid) => ({ setting: "--break-glass", uid })),
    ...withoutSecret.filter((uid) => !providers.has(uid)).map((uid) => ({ setting: "--without-secret", uid })),
  ];
}

/** @throws {Error} that names the folder if the file system fails: its own message does not if, for example, the disk is full */
function inFolder<T>(dir: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    throw new Error(
      `--dir: ${dir} cannot be used: ${error.message}. Correct that, and import again: what was written stays, and the rest follows`,
      { cause: error },
    );
  }
}

/** @throws {SettingsError} */
function adoptsOf({ adopt, management }: ImportValues): boolean {
  if (adopt && management === "Observe")
    throw new SettingsError(["--adopt manages what exists: leave out --management Observe"]);
  return adopt || management === "Full";
}

/** @throws {SettingsError} if the name of the group is not one that a namespace of its own should have */
function namespaceOf(group: string): string {
  const name = stemOf(group);
  if (name !== "" && name !== "default" && !name.startsWith("kube-")) return name;
  throw new SettingsError([
    `--namespace (-n) is required: the name of the group, "${name}", is not one for a namespace`,
  ]);
}

/**
 * The hashes of the owner that is to manage the objects.
 * @throws {Error} if no setting says who that is, and the cluster cannot be asked
 */
async function ownersOf(values: ImportValues, { env, signal }: CommandContext): Promise<readonly string[]> {
  const { class: operatorClass, previousOwnerId } = values;
  const ownerId = values.ownerId ?? (await readOwnerId(values, env, signal));
  return [ownerId, ...previousOwnerId].map((id) => ownerHash(id, operatorClass));
}

async function readOwnerId(values: ImportValues, env: CommandContext["env"], signal: AbortSignal): Promise<string> {
  const needed = "An operator manages something in the group already, so import has to know which one is yours";
  if (values.noCluster) throw new ExplainedError("owner-id", `--no-cluster is set. ${needed}: set --owner-id`);
  try {
    const kube = new KubeClient({ connection: await clusterConnection(values, env), clock: systemClock });
    try {
      const uid = await kubeSystemUid(kube, signal);
      if (uid !== undefined) return uid;
    } finally {
      await kube.close();
    }
  } catch (error) {
    const { message } = error as Error;
    throw new ExplainedError("owner-id", `${message}. ${needed}: set --owner-id, or --kubeconfig`, { cause: error });
  }
  throw new ExplainedError("owner-id", `the namespace kube-system has no uid. ${needed}: set --owner-id`);
}

/**
 * The uid of the group that a text means: its uid, or the name or path of one that the caller can read. A uid is not looked up.
 * @throws {Error} that lists the candidates, if there is not exactly one. @throws {PlatformFailure}
 */
async function findGroup(api: ReadApi, text: string, signal: AbortSignal): Promise<string> {
  if (uidPattern.test(text)) return text;
  const groups = await listStable(api, groupKind.collection, {}, signal);
  return groupNamed({ groups: new Map(groups.map((group) => [group.uid, group])) }, text);
}
