import { dottedCapability } from "#src/access/capability-name.ts";
import type { AnswerText } from "#src/commands/output/answer-format.ts";
import type { Note } from "#src/commands/output/note.ts";
import { visibleText } from "#src/commands/output/visible-text.ts";
import type { OptionalReading } from "#src/commands/reader/optional-cluster.ts";
import type { ExistingTree } from "#src/import/existing-tree.ts";
import type { GroupFolder, ImportedTree, ImportException, NeededSecret } from "#src/import/imported-tree.ts";
import { shortList } from "#src/text/short-list.ts";
import { secretCommands } from "#src/import/secret-steps.ts";
import type { UnprovenAbsence } from "#src/plan/proven-reads.ts";
import type { WrittenFiles } from "./import-folder.ts";

/** What an import did, for every output. */
export interface ImportReport {
  readonly group: { readonly uid: string; readonly name: string };
  readonly dir: string;
  readonly namespace: string;
  readonly management: "Observe" | "Full";
  /** How many objects there are manifests of, by kind. */
  readonly objects: Readonly<Record<string, number>>;
  /** What is not declared, or not as it was asked for. */
  readonly exceptions: readonly ImportException[];
  /** The Secrets that people have to make before the operator manages the identity providers whose objects name them. */
  readonly secrets: readonly ReportedSecret[];
  /** Where the caller may not list: more may exist there. */
  readonly unseen: readonly UnprovenAbsence[];
  /** How many files were written, or are as they were. */
  readonly files: { readonly written: number; readonly unchanged: number; readonly removed: readonly string[] };
  /** Why the objects of the cluster were not read, some of which may declare something already; absent if they were. */
  readonly clusterNotRead?: string;
  /** The Tenants of the cluster that select the namespace, with which the one of the import overlaps; absent if there are none. */
  readonly overlappingTenants?: readonly string[];
  /** The Tenant of the cluster that the one of the import would replace; absent if an earlier import wrote it, or there is none. */
  readonly replacedTenant?: string;
  /** What settings name and the group does not have; absent if it has everything. */
  readonly unused?: readonly UnusedSetting[];
  /** The files that import may not touch. */
  readonly kept: WrittenFiles["kept"];
}

/** A value of a setting that has no effect. */
export interface UnusedSetting {
  /** Such as `--break-glass`. */
  readonly setting: string;
  readonly uid: string;
}

export interface ReportedSecret extends NeededSecret {
  /** The uid of the identity provider. */
  readonly provider: string;
  /** The commands that make it from a file named FILE. */
  readonly commands: readonly string[];
}

export interface ImportFacts {
  readonly group: ExistingTree["group"];
  readonly dir: string;
  readonly adopt: boolean;
  readonly unseen: readonly UnprovenAbsence[];
  readonly cluster: OptionalReading<unknown>;
  /** The other Tenants that select the namespace. */
  readonly tenants: readonly string[];
  /** Whether the cluster has a Tenant of the same name that is not the one of the import. */
  readonly replacesTenant: boolean;
  readonly unused: readonly UnusedSetting[];
}

export function reportOf(
  { namespace, tenant, folder, exceptions, secrets }: ImportedTree,
  { written, unchanged, removed, kept }: WrittenFiles,
  { group: { uid, name }, dir, adopt, unseen, cluster, tenants, replacesTenant, unused }: ImportFacts,
): ImportReport {
  return {
    group: { uid, name: visibleText(name) },
    dir,
    namespace,
    management: adopt ? "Full" : "Observe",
    objects: countObjects(folder, {}),
    exceptions: exceptions.map(({ name: text, reason, ...exception }) => ({
      ...exception,
      ...(text === undefined ? {} : { name: visibleText(text) }),
      reason: visibleText(reason),
    })),
    secrets: [...secrets].map(([provider, secret]) => ({ provider, ...secret, commands: secretCommands(secret) })),
    unseen,
    ...(cluster.read ? {} : { clusterNotRead: visibleText(cluster.reason) }),
    ...(tenants.length === 0 ? {} : { overlappingTenants: tenants.map(visibleText) }),
    ...(replacesTenant ? { replacedTenant: tenant.metadata.name } : {}),
    ...(unused.length === 0 ? {} : { unused }),
    files: { written: written.length, unchanged: unchanged.length, removed: removed.map(visibleText) },
    kept: kept.map(({ path, reason }) => ({ path: visibleText(path), reason })),
  };
}

/** Whether everything is declared as it was asked for. */
export function isEverything({ exceptions, unseen, kept }: ImportReport): boolean {
  return exceptions.length + unseen.length + kept.length === 0;
}

/** One line, such as `2 left out, 1 observed; 1 file kept`. */
export function summaryOf({ exceptions, unseen, kept }: ImportReport): string {
  const counts = new Map<string, number>();
  for (const { outcome } of exceptions) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const types = unseen.length === 1 ? "1 type of resources" : `${unseen.length} types of resources`;
  return [
    ...[...counts].map(([outcome, count]) => `${count} ${outcome}`),
    ...(unseen.length === 0 ? [] : [`${types} not seen`]),
    ...(kept.length === 0
      ? []
      : [`${countOf(kept.length, "file")} kept as ${kept.length === 1 ? "it is" : "they are"}`]),
  ].join(", ");
}

/** The group itself, as the root of the Tenant, is never managed. */
const managementText = { Observe: "Observe", Full: "Full below the group, which is only observed" } as const;

export function reportText(report: ImportReport): AnswerText {
  const { group, dir, namespace, management, objects, exceptions, secrets, unseen, files, kept } = report;
  const { clusterNotRead, overlappingTenants = [], replacedTenant, unused = [] } = report;
  const parts = Object.entries(objects).map(([kind, count]) => `${kind}: ${count}`);
  const titles = ["OUTCOME", "TYPE", "NAME", "UID", "REASON"];
  return {
    heading: `${dir} declares what is in group ${group.name} (${parts.join(", ")}) in namespace ${namespace}, with management ${managementText[management]}.`,
    table: {
      titles,
      rows: exceptions.map(({ outcome, noun, name = "", uid, reason }) => [outcome, noun, name, uid, reason]),
    },
    notes: [
      ...(exceptions.some(({ outcome }) => outcome === "in part")
        ? [
            "In part: the object leaves out each field that is named, and only observes. Change the value on the platform and import again, or write the field into the manifest yourself.",
          ]
        : []),
      `Files: ${files.written} written, ${files.unchanged} unchanged, ${files.removed.length} removed.`,
      ...kept.map(({ path, reason }) => `Kept: ${path}: ${reason}.`),
      ...unseen.map(
        ({ capability, group: uid }) =>
          `Not seen: you do not have ${dottedCapability(capability)} in ${uid}. More may exist there.`,
      ),
      ...unused.map(({ setting, uid }) => `Without effect: ${setting} ${uid}: nothing with this uid is in the group.`),
      ...(clusterNotRead === undefined
        ? []
        : [
            `The cluster was not read: ${clusterNotRead}. What its objects declare already has a second object here, unless it carries a marker.`,
          ]),
      ...(overlappingTenants.length === 0
        ? []
        : [
            `Overlap: namespace ${namespace} has ${shortList(overlappingTenants.map((tenant) => `Tenant ${tenant}`))} already, and with two Tenants, the operator does nothing there. Add what tenant.yaml permits to ${overlappingTenants.length === 1 ? "it" : "one of them"}, and remove tenant.yaml from kustomization.yaml; or import into another namespace, with --namespace.`,
          ]),
      ...(replacedTenant === undefined
        ? []
        : [
            `Tenant: the cluster has a Tenant ${replacedTenant} already, which kubectl apply would replace by tenant.yaml. Add what tenant.yaml permits to it, and remove tenant.yaml from kustomization.yaml; or import into another namespace, with --namespace.`,
          ]),
      ...secrets.map(
        ({ provider, name, commands }): Note => ({
          text: `Secret: before the operator manages identity provider ${provider}, make Secret ${name}, because the platform never returns a client secret:`,
          command: commands.join(" && "),
        }),
      ),
      `Next: see what the operator would do with muster plan -f ${dir}, then kubectl apply -k ${dir}`,
    ],
  };
}

function countObjects({ objects, folders }: GroupFolder, counts: Record<string, number>): Record<string, number> {
  for (const { kind } of objects) counts[kind] = (counts[kind] ?? 0) + 1;
  for (const folder of folders) countObjects(folder, counts);
  return counts;
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
