import { parse } from "yaml";
import { issuerAnnotation } from "#src/api/annotations.ts";
import type { Resource } from "#src/api/custom-resource.ts";
import type { Status } from "#src/api/status.ts";
import { tenantSpecSchema } from "#src/api/tenant.ts";
import { importFiles } from "#src/import/import-files.ts";
import type { GroupFolder, ImportedObject, ImportedTree } from "#src/import/imported-tree.ts";
import { importTree } from "#src/import/import-tree.ts";
import { accountAssociationKind } from "#src/kinds/account-association.ts";
import { groupKind } from "#src/kinds/group.ts";
import { identityKind } from "#src/kinds/identity.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { identityProviderKind } from "#src/kinds/identity-provider.ts";
import { roleKind } from "#src/kinds/role.ts";
import { roleBindingKind } from "#src/kinds/role-binding.ts";
import { listAll } from "#src/platform-client/list-all.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { isBelow, isWithin } from "#src/platform-client/uid.ts";
import { systemClock } from "#src/time/clock.ts";
import { seeded } from "#test/support/seeded.ts";
import type { Manifest } from "./memory-kube.ts";
import { auditor, customRoles, owner, viewer } from "./memory-platform.ts";
import { PlannedWorld } from "./planned-world.ts";
import { blue, red } from "./two-tenants.ts";

const namespace = "imported";
const signal = new AbortController().signal;
const instant = { ...systemClock, sleep: async () => undefined };

/** An identity for emergencies, in some worlds. */
export const emergency = `${red}/00000000000000e0`;

/** An identity provider without a client secret, in some worlds. */
const publicClient = `${red}/00000000000000e1`;

/** A world in which people made a random tree in the group `red`, which is imported. */
export class ImportedWorld extends PlannedWorld {
  constructor(seed: number) {
    super();
    this.scenario.kube.applyCluster({ kind: "Namespace", name: namespace });
    this.#make(seeded(seed));
  }

  /** Imports the group, as a command does that reads the cluster, too. @param into the namespace of the objects */
  async import(adopt: boolean, into = namespace): Promise<ImportedTree> {
    const objects = this.scenario.kube.objects();
    const platform = this.scenario.platform.copy(
      instant,
      kinds.map(({ collection }) => collection),
    );
    const { resources: groups } = await listAll(platform, groupKind.collection, {}, signal);
    const { resources: identities } = await listAll(platform, identityKind.collection, {}, signal);
    const { resources: roles } = await listAll(platform, roleKind.collection, {}, signal);
    const { resources: bindings } = await listAll(platform, roleBindingKind.collection, {}, signal);
    const { resources: providers } = await listAll(platform, identityProviderKind.collection, {}, signal);
    const { resources: associations } = await listAll(platform, accountAssociationKind.collection, {}, signal);
    const isInTree = ({ uid }: { readonly uid: string }) => isBelow(uid, red);
    return importTree(
      {
        group: groups.find(({ uid }) => uid === red) ?? { uid: red, name: "red", description: "" },
        groups: groups.filter(isInTree),
        identities: identities.filter(isInTree),
        identitiesElsewhere: identities.filter((one) => !isInTree(one)),
        roles: roles.filter(isInTree),
        rolesElsewhere: roles.filter((one) => !isInTree(one)),
        identityProviders: providers.filter(isInTree),
        accountAssociations: associations.filter(({ uid }) => isWithin(uid, red)),
        roleBindings: bindings.filter(isInTree),
        roleBindingsElsewhere: bindings.filter((one) => !isInTree(one)),
        others: [],
      },
      {
        namespace: into,
        adopt,
        owners: [ownerHash("cluster")],
        breakGlass: [emergency],
        withoutSecret: [publicClient],
        operatorClass: undefined,
        earlierNames: new Map(),
        cluster: kinds.map((kind) => ({
          kind,
          objects: objects.filter((object) => object.kind === kind.name) as unknown as Resource[],
        })),
        clusterIssuer: "https://issuer.example",
        publicIssuers: [],
      },
    );
  }

  /** Applies the Tenant. @returns the objects, as the API server stores them, from the text of their files */
  store(imported: ImportedTree): readonly Manifest[] {
    const { tenant } = imported;
    const spec = tenantSpecSchema.parse(tenant.spec);
    this.scenario.kube.applyCluster({ kind: "Tenant", name: tenant.metadata.name, spec });
    const texts = [...importFiles(imported)].filter(([path]) => path.includes("/") && !path.includes("kustomization"));
    return texts.map(([, text]) => {
      const { kind, metadata, spec: written } = parse(text) as ImportedObject;
      const schema = kinds.find(({ name }) => name === kind)?.definition.specSchema;
      return { kind, name: metadata.name, namespace, spec: schema?.parse(written) as object };
    });
  }

  /** Makes the Secrets that the objects name. */
  makeSecrets({ secrets }: ImportedTree): void {
    for (const { name, key, issuer } of secrets.values())
      this.scenario.kube.setSecret(name, { [key]: "planted-secret" }, { [issuerAnnotation]: issuer });
  }

  /** The Tenant and the objects that are not Ready, with the reason. */
  notReady(manifests: readonly Manifest[]): readonly string[] {
    const { kube } = this.scenario;
    const tenant = { kind: "Tenant", name: namespace, found: kube.findCluster("Tenant", namespace) };
    const objects = manifests.map(({ kind, name }) => ({ kind, name, found: kube.find(kind, name, namespace) }));
    return [tenant, ...objects].flatMap(({ kind, name, found }) => {
      const status = found?.status as Status | undefined;
      const ready = status?.conditions?.find(({ type }) => type === "Ready");
      return ready?.status === "True" ? [] : [`${kind} ${name}: ${ready?.reason}: ${ready?.message}`];
    });
  }

  #make(random: () => number): void {
    const { platform } = this.scenario;
    const one = <T>(...choices: readonly T[]) => choices[Math.floor(random() * choices.length)] as T;
    const name = () =>
      one("shop", "shop", "s.hop", "s hop", "...", "yes", "1e3", "_", "n".repeat(300), "n".repeat(600));
    const marked = () =>
      withMarker("theirs", markerOf(ownerHash(one("elsewhere", "cluster")), objectHash("a", "b", "c")));
    const description = () =>
      one(
        "",
        "",
        "sells",
        " two  spaces ",
        "\u202ebidi\u0007",
        "yes",
        "x".repeat(477),
        "x".repeat(500),
        "[muster:",
        marked(),
      );
    let count = 0;
    const below = (parent: string) => `${parent}/${(0xe000 + (count += 1)).toString(16).padStart(16, "0")}`;
    const groups = [red];
    const identities: string[] = [];
    const add = (collection: string, fields: { readonly uid: string } & Readonly<Record<string, unknown>>) => {
      platform.set(collection, fields);
      return fields.uid;
    };
    for (let made = one(0, 1, 3, 5); made > 0; made -= 1)
      groups.push(add("groups", { uid: below(one(...groups)), name: name(), description: description() }));
    if (one(true, false))
      identities.push(add("identities", { uid: emergency, name: "emergency", description: "", ...claims(one) }));
    for (let made = one(0, 2, 4, 6); made > 0; made -= 1) {
      const text = random() < 0.1 ? withRecordedOwner("", "another") : description();
      identities.push(
        add("identities", { uid: below(one(...groups)), name: name(), description: text, ...claims(one) }),
      );
    }
    const roles = [
      { uid: viewer, name: "viewer" },
      { uid: viewer, name: "" },
    ];
    const [list, more] = platform.listCapabilities;
    const capabilities = () =>
      one<readonly string[]>([list ?? ""], [more ?? "", list ?? "", list ?? ""], ["CAP_REPO_DELETE"], [], ["*"]);
    for (const uid of customRoles) {
      if (random() < 0.5) continue;
      const role = { uid, name: name(), description: description(), capabilities: capabilities() };
      roles.push({ uid: add("roles", role), name: role.name });
    }
    add("roles", {
      uid: below(one(...groups)),
      name: name(),
      description: description(),
      capabilities: capabilities(),
    });
    const uids = roles.map((role) => role.uid);
    for (let made = one(0, 1, 2); made > 0; made -= 1)
      add(
        "identityProviders",
        randomProvider(below(one(...groups)), { name: name(), description: description() }, uids, one),
      );
    for (const uid of groups)
      if (random() < 0.5)
        add("accountAssociations", randomAssociation({ uid, name: name(), description: description() }, one));
    if (random() < 0.3)
      add("identityProviders", randomProvider(publicClient, { name: "public", description: "" }, uids, one));
    // The operator's settings do not permit this role: what it allows is permitted, because viewer is bound, too.
    if (random() < 0.5) {
      const robot = add("identities", { uid: below(red), name: "robot", description: "", ...plainClaims });
      const role = { uid: below(red), name: "lister", description: "", capabilities: [list, more] };
      add("roles", role);
      for (const bound of [{ uid: viewer, name: "viewer" }, role])
        add("roleBindings", { uid: below(red), identity: { uid: robot, name: "robot" }, role: bound });
    }
    for (let made = identities.length * 2; made > 0; made -= 1) {
      const uid = random() < 0.2 ? one(auditor, ...identities) : one(...identities);
      const group = random() < 0.1 ? blue : one(...groups);
      const role = group === blue ? one({ uid: owner, name: "owner" }, ...roles) : one(...roles);
      add("roleBindings", { uid: below(group), identity: { uid, name: "someone" }, role });
    }
  }
}

const plainClaims = { claimMatch: { issuer: "https://ci.example", subject: "repo:acme/robot" } };

type One = <T>(...choices: readonly T[]) => T;

function claims(one: One): object {
  const issuer = one("https://ci.example", "https://token.actions.githubusercontent.com", "https://issuer.example");
  return one<object>(
    { claimMatch: { issuer, subject: one("repo:acme/shop", "system:serviceaccount:other:builds", "a\u200bb") } },
    { claimMatch: { issuer, subjectPattern: one("repo:acme/.*", ".*", "(a|b)c+") } },
    { claimMatch: { issuerPattern: "https://.*", subject: "x", claims: { yes: "no", "1e3": "0x1" } } },
    { claimMatch: { issuer: "https://ci.example", subject: "tab\there" } },
    { awsIdentity: { awsAccount: "012345678901", arn: "arn:aws:iam::012345678901:role/a", userIdPattern: ".*" } },
    {
      staticKeys: {
        issuer: "https://keys.example",
        subject: "x",
        issuerKeys: '{"keys":[]}',
        expirationTime: "2027-01-31T00:00:00.000Z",
        audiences: ["a"],
      },
    },
    {},
  );
}

/** Where people log in. */
function randomProvider(
  uid: string,
  texts: { readonly name: string; readonly description: string },
  roles: readonly string[],
  one: One,
) {
  const updateTime = "2025-01-01T00:00:00Z";
  const issuer = one("https://login.example", "https://login.example", "https://ci.example", "no URL");
  const oidc = {
    issuer,
    clientId: "muster",
    additionalScopes: one<readonly string[]>([], ["email", "profile"]),
    groupsClaim: one("", "groups"),
    pkceEnabled: uid === publicClient || one(true, true, false),
  };
  return {
    uid,
    ...texts,
    updateTime,
    defaultRole: one(viewer, "", ...roles),
    ...(one(true, true, true, false) ? { oidc } : {}),
  };
}

/** What a platform returns, in its order. */
function randomAssociation(
  texts: { readonly uid: string; readonly name: string; readonly description: string },
  one: One,
): { readonly uid: string } {
  const apps = one<object>(
    { 9: { installations: [{ installationId: "12" }, { installationId: 5, name: "acme" }] } },
    { 9: { installations: [{ installationId: "12" }] }, 10: { installations: [{ installationId: "12" }] } },
    // No manifest can have these.
    { 9: { installations: [{ installationId: "5" }, { installationId: "5" }] } },
    { 9: {} },
    {},
  );
  const accounts = one<object>(
    {},
    { amazon: { account: one("012345678901", "123456789012", "not an account") } },
    { google: { projectId: one("acme", "acme", "shop"), projectNumber: one("42", "43", "0x1") } },
    { azure: { tenantId: one("acme", "tab\there"), clientIds: one<object>({}, { b: "1", a: "2", yes: "no" }) } },
    { github: { appInstallations: apps } },
    { amazon: { account: "012345678901" }, azure: { tenantId: "acme" }, github: { appInstallations: apps } },
  );
  return accountAssociationKind.collection.schema.parse({ ...texts, createTime: "2025-01-01T00:00:00Z", ...accounts });
}

/** The objects of an import. */
export function objectsOf({ folder }: ImportedTree): readonly ImportedObject[] {
  const all = ({ objects, folders }: GroupFolder): readonly ImportedObject[] => [...objects, ...folders.flatMap(all)];
  return all(folder);
}

/** The objects of an import that adopt a resource with a marker. */
export function adoptingObjects(imported: ImportedTree): readonly ImportedObject[] {
  return objectsOf(imported).filter(({ kind, spec }) => {
    const { management } = (spec["policy"] ?? {}) as { readonly management?: string };
    return kind !== "RoleBinding" && management === undefined;
  });
}

/** The uid of the resource that an object declares: without a uid, that of the group. */
export function declaredUid({ spec }: ImportedObject, imported: ImportedTree): string {
  const { uid, groupUid, groupRef } = spec as DeclaredPlace;
  const group = objectsOf(imported).find(({ kind, metadata }) => kind === "Group" && metadata.name === groupRef?.name);
  return uid ?? groupUid ?? (group?.spec as DeclaredPlace | undefined)?.uid ?? "";
}

interface DeclaredPlace {
  readonly uid?: string;
  readonly groupUid?: string;
  readonly groupRef?: { readonly name: string };
}
