import { inParallel } from "#test/support/bench/in-parallel.ts";
import type { KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";
import { allowedRoles, type System } from "#test/support/harness/system.ts";
import { createTenantCredentials } from "#test/support/harness/tenant-credentials.ts";
import { permissiveTenant } from "#test/support/harness/tenants.ts";

const label = "scale/team";
const concurrency = 8;

/** A Tenant, with a group of its own on the platform and the namespaces that have its label. */
export interface Team {
  readonly name: string;
  /** The uid of the group. */
  readonly group: string;
  readonly namespaces: readonly string[];
}

export interface TeamOptions {
  readonly name: string;
  readonly namespaces: number;
  /** The Tenant has a service account and an identity of its own. */
  readonly ownCredentials?: boolean;
}

/** Creates the teams with their namespaces. */
export async function createTeams(system: System, teams: readonly TeamOptions[]): Promise<Team[]> {
  const created: Team[] = [];
  await inParallel([...teams.entries()], concurrency, async ([index, team]) => {
    created[index] = await createTeam(system, team);
  });
  return created;
}

async function createTeam(system: System, { name, namespaces: number, ownCredentials = false }: TeamOptions) {
  const { uid: group } = await system.admin.create("groups", system.root, { name });
  const permissive = permissiveTenant(name, { namespaces: [], groups: [group], roles: allowedRoles });
  const { namespaces: _none, ...spec } = permissive["spec"];
  const credentials = ownCredentials
    ? { type: "ServiceAccount", identityUid: await createTenantCredentials(system, name, group) }
    : { type: "Operator" };
  const namespaceSelector = { matchLabels: { [label]: name } };
  await system.controlPlane.admin.apply({ ...permissive, spec: { ...spec, namespaceSelector, credentials } });
  const namespaces = Array.from({ length: number }, (_, index) => `${name}-${index}`);
  for (const namespace of namespaces) await createNamespace(system, namespace, name);
  return { name, group, namespaces };
}

export const namespaceRef = (name: string): ObjectRef => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

/** @param team the Tenant that governs the namespace, if any does */
export async function createNamespace({ controlPlane }: System, name: string, team?: string): Promise<void> {
  const labels = team === undefined ? {} : { [label]: team };
  await controlPlane.admin.create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
}

/** Lets the team's Tenant govern a namespace. */
export async function giveNamespace({ controlPlane }: System, name: string, team: string): Promise<KubeObject> {
  return controlPlane.admin.patch(namespaceRef(name), { metadata: { labels: { [label]: team } } });
}
