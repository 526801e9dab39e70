import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { readyObject } from "#src/plan/ready-object.testing.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { inParallel } from "#test/support/bench/in-parallel.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { ListedCluster } from "./kubernetes.ts";

export const ownerId = "bench";
export const issuer = "https://issuer.example.com";
const ciIssuer = "https://ci.example.com";
export const namespace = "bench";
const tenant = "bench";
/** The description of everything. */
const text = "Made for the benchmark";
const apiVersion = "iam.muster.dev/v1beta1";
/** Calls that fill the platform at the same time. */
const width = 8;
const groupsPerDepartment = 10;
const identitiesPerGroup = 3;
/** Role bindings of each identity. */
const boundRoles = ["viewer", "editor"] as const;

/** A platform with groups, identities and role bindings, and a cluster whose objects declare them. */
export interface World {
  readonly platform: PlatformProcess;
  readonly url: string;
  readonly tokenFile: string;
  readonly admin: PlatformAdmin;
  readonly cluster: ListedCluster;
  readonly kubeconfig: string;
  readonly rootGroup: string;
  /** The uid of the operator's identity. */
  readonly operator: string;
  /** The folder with what commands read: `change.yaml`, a group more; `everything.json`, all objects. */
  readonly folder: string;
  readonly objects: number;
  readonly close: () => Promise<void>;
}

/** Who made what is on the platform: the operator, whose markers it carries, or people. */
export type Maker = "operator" | "people";

/**
 * Fills a platform, in a process of its own, over its API: a tenth of the groups are in the root group, and the others in those;
 * each has three identities, and each of these two role bindings.
 */
export async function makeWorld(folder: string, groups: number, maker: Maker): Promise<World> {
  const tokenFile = join(folder, "admin-token");
  const flags = ["--data", join(folder, "data"), "--key-file", join(folder, "key"), "--admin-token-file", tokenFile];
  const platform = new PlatformProcess(flags);
  const { baseUrl: url, rootGroup } = await platform.listening();
  const admin = new PlatformAdmin(url, (await readFile(tokenFile, "utf8")).trim());
  const audience = new URL(url).hostname;
  const roles = new Map((await admin.list("roles")).map(({ name, uid }) => [name, uid]));
  const operator = await admin.create("identities", rootGroup, {
    name: "muster",
    description: withRecordedOwner("", ownerId),
    claimMatch: { issuer, subject: "muster" },
  });
  await admin.create("roleBindings", rootGroup, { identityUid: operator.uid, roleUid: roles.get("owner") });

  const described = (kind: string, name: string) =>
    maker === "people" ? text : withMarker(text, markerOf(ownerHash(ownerId), objectHash(kind, namespace, name)));
  const declared: KubeObject[] = [];
  const declare = (kind: string, name: string, spec: object, uid: string, status: object = {}) => {
    const ready = readyObject({ kind, namespace, name, spec, uid, tenant, number: declared.length + 1, status });
    declared.push({ ...ready, metadata: { ...ready.metadata, ...appliedBy(spec) } });
  };
  const makeGroup = async (index: number, parent: { readonly uid: string; readonly name?: string }) => {
    const name = `group-${index}`;
    const { uid } = await admin.create("groups", parent.uid, { name, description: described("Group", name) });
    const parentOf = parent.name === undefined ? { parentUid: parent.uid } : { parentRef: { name: parent.name } };
    declare("Group", name, { ...parentOf, description: text }, uid);
    for (let number = 0; number < identitiesPerGroup; number += 1) {
      const identity = `${name}-ci-${number}`;
      const claimMatch = { issuer: ciIssuer, subject: `repo:acme/${identity}` };
      const body = { name: identity, description: described("Identity", identity), claimMatch };
      const { uid: identityUid } = await admin.create("identities", uid, body);
      const exchange = { url: `${url}/sts/exchange`, platformUrl: url, ...claimMatch, audience, apiAudience: url };
      const spec = { groupRef: { name }, claimMatch, description: text };
      declare("Identity", identity, spec, identityUid, { exchange });
      for (const role of boundRoles) {
        const roleUid = roles.get(role);
        const binding = await admin.create("roleBindings", uid, { identityUid, roleUid });
        const references = { groupRef: { name }, identityRef: { name: identity }, roleRef: { name: role } };
        declare("RoleBinding", `${identity}-${role}`, references, binding.uid, { identityUid, roleUid });
      }
    }
    return { uid, name };
  };
  const departments = new Map<number, { readonly uid: string; readonly name: string }>();
  const numbers = Array.from({ length: groups }, (_, index) => index);
  await inParallel(
    numbers.filter((index) => index % groupsPerDepartment === 0),
    width,
    async (index) => departments.set(index, await makeGroup(index, { uid: rootGroup })),
  );
  await inParallel(
    numbers.filter((index) => index % groupsPerDepartment !== 0),
    width,
    async (index) => makeGroup(index, departments.get(index - (index % groupsPerDepartment)) ?? { uid: rootGroup }),
  );

  const tenantObject = object("v1", "Tenant", tenant, {
    namespaces: [namespace],
    groups: [rootGroup],
    roles: [...boundRoles],
    claimIssuers: [{ issuer: ciIssuer }],
  });
  const around = [
    { ...tenantObject, apiVersion },
    object("v1", "Namespace", namespace),
    object("v1", "Namespace", "kube-system"),
  ];
  const ofKind = (kind: string) => [...around, ...declared].filter((one) => one.kind === kind);
  const cluster = new ListedCluster({
    namespaces: ofKind("Namespace"),
    tenants: ofKind("Tenant"),
    groups: ofKind("Group"),
    identities: ofKind("Identity"),
    rolebindings: ofKind("RoleBinding"),
  });
  await cluster.listen();
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig);
  const change = {
    apiVersion,
    kind: "Group",
    metadata: { name: "new", namespace },
    spec: { parentRef: { name: "group-0" } },
  };
  await writeFile(join(folder, "change.yaml"), JSON.stringify(change));
  const everything = [...around, ...declared].map((one) => ({ ...one, status: undefined }));
  await writeFile(
    join(folder, "everything.json"),
    JSON.stringify({ apiVersion: "v1", kind: "List", items: everything }),
  );
  return {
    platform,
    url,
    tokenFile,
    admin,
    cluster,
    kubeconfig,
    rootGroup,
    operator: operator.uid,
    folder,
    objects: declared.length,
    close: async () => {
      await Promise.all([platform.kill(), cluster.close()]);
    },
  };
}

/** What the API server notes of an apply by kubectl. */
function appliedBy(spec: object): object {
  const fields = Object.fromEntries(Object.keys(spec).map((field) => [`f:${field}`, {}]));
  return { managedFields: [{ manager: "kubectl", operation: "Apply", fieldsV1: { "f:spec": fields } }] };
}

function object(version: string, kind: string, name: string, spec?: object): KubeObject {
  const labels = kind === "Namespace" ? { "kubernetes.io/metadata.name": name } : {};
  const metadata = { name, labels, uid: `${kind}-${name}`, resourceVersion: "1", generation: 1 };
  return { apiVersion: version, kind, metadata, ...(spec === undefined ? {} : { spec }) };
}
