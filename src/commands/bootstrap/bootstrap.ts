import type { ListQuery } from "#src/platform-client/api.ts";
import type { ExternalResource, ResourceType } from "#src/platform-client/collection.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import { fixedToken, HttpPlatformApi } from "#src/platform-client/http-api.ts";
import { listAll } from "#src/platform-client/list-all.ts";
import { groups, roleBindings, roles } from "#src/platform-client/permission-resources.ts";
import { HttpTransport } from "#src/platform-client/transport.ts";
import { systemClock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import { ownerIdPattern, ownerOf } from "#src/platform-client/owner-record.ts";
import { uidPattern } from "#src/platform-client/uid.ts";
import { defineCommand } from "#src/commands/command.ts";
import { Proxies } from "#src/http/proxies.ts";
import { formatManifests, manifestOutput } from "#src/commands/output/output-format.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { manifests } from "./manifests.ts";
import { ensureOperatorIdentity, identities } from "./operator-identity.ts";

const objectName = /^[a-z0-9-]+\/[a-z0-9.-]+$/;
const dnsLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export default defineCommand({
  summary: "create the operator's identity on the platform and print its settings and a first Tenant",
  settings: {
    platformUrl: settings.required(settings.url, "The platform's base URL."),
    platformCa: settings.optional(
      settings.file,
      "PEM file with the certificate authorities to trust, instead of the default ones.",
    ),
    adminTokenFile: settings.required(settings.file, "File with the platform's admin token."),
    issuer: settings.required(settings.text, "The issuer of the cluster's service-account tokens."),
    ownerId: settings.required(
      settings.matching("ID", ownerIdPattern, "letters, digits and the characters . _ -, at most 64"),
      "The id that marks resources on the platform as managed by this cluster: the uid of the namespace kube-system, or a name that survives a rebuilt cluster.",
    ),
    class: settings.optional(
      settings.matching("CLASS", dnsLabel, "lowercase letters, digits and '-'"),
      "The class of the operator, exactly as in its --class. Set it if the cluster has several operators. The identity and the Tenant are for this class.",
    ),
    takeOver: settings.toggle(
      "Let the operator of this cluster assume the identity that records the owner id, or replace the owner id of this cluster's identity. Only if the other cluster is gone.",
    ),
    serviceAccount: settings.optional(
      settings.matching("NAMESPACE/NAME", objectName, "NAMESPACE/NAME"),
      "The operator's service account. (default: muster-system/muster-operator; with --class, muster-system/muster-operator-CLASS)",
    ),
    identityName: settings.optional(
      settings.text,
      "The name of the operator's identity, if it is created. Operators of several clusters in one group need different names. (default: muster; with --class, muster-CLASS)",
    ),
    subjectTokenAudience: settings.withDefault(
      settings.text,
      "muster",
      "The audience of the operator's service-account token, which it exchanges.",
    ),
    rootGroup: settings.optional(
      settings.matching("UID", uidPattern, "a uid: 40 hex digits, then / and 16 hex digits for each level below"),
      "The group in which the operator manages resources. (default: the only root group)",
    ),
    role: settings.withDefault(settings.text, "owner", "The built-in role to grant to the operator in that group."),
    configMap: settings.optional(
      settings.matching("NAMESPACE/NAME", objectName, "NAMESPACE/NAME"),
      "The namespace and name of the ConfigMap to print. (default: muster-system/muster-identity; with --class, muster-system/muster-identity-CLASS)",
    ),
    tenant: settings.optional(
      settings.matching("NAME", dnsLabel, "lowercase letters, digits and '-'"),
      "The name of the Tenant to print. (default: default; with --class, default-CLASS)",
    ),
    tenantNamespace: settings.optionalList(
      settings.matching("NAME", dnsLabel, "the name of a namespace"),
      "A namespace that the Tenant governs. (default: default)",
    ),
    tenantRole: settings.optionalList(
      settings.text,
      "A role that the Tenant's objects may bind, which the operator's --allowed-role must also permit. (default: viewer)",
    ),
    tenantIssuer: settings.optionalList(
      settings.text,
      "An issuer that the Tenant's Identity objects may name, with every subject: add subjectPrefixes to spec.claimIssuers of the Tenant to limit the subjects. (default: none; only service accounts of their namespaces may be used)",
    ),
    output: manifestOutput(),
  },
  /** Idempotent: a second run uses the existing identity and role binding, and prints the same manifests. */
  run: async (values, { env, signal, stdout }) => {
    // What several operators in one cluster must not share has the class in its name, as with nameSuffix in an overlay.
    const suffix = values.class === undefined ? "" : `-${values.class}`;
    const serviceAccount = values.serviceAccount ?? `muster-system/muster-operator${suffix}`;
    settings.requirePrivateFile("--admin-token-file", values.adminTokenFile);
    const { platformUrl } = values;
    const adminToken = (await settings.readTextFile("--admin-token-file", values.adminTokenFile)).trim();
    const transport = new HttpTransport({
      connections: 1,
      deadlineMs: seconds(30),
      clock: systemClock,
      proxies: await Proxies.fromEnvironment(env),
      ...(values.platformCa === undefined
        ? {}
        : { ca: await settings.readTextFile("--platform-ca", values.platformCa) }),
    });
    const api = new HttpPlatformApi(transport, fixedToken(adminToken), platformUrl);
    const list = async <R extends ExternalResource>(type: ResourceType<R>, query: Omit<ListQuery, "pageToken">) =>
      (await listAll(api, type, query, signal)).resources;
    try {
      const group = values.rootGroup ?? onlyOf(await list(groups, { filter: { "uidp.in_root": "true" } }));
      const [role] = await list(roles, { filter: { name: values.role } });
      if (role === undefined) throw new Error(`--role: the role "${values.role}" does not exist on the platform`);
      const subject = `system:serviceaccount:${serviceAccount.replace("/", ":")}`;
      const inGroup = {
        list: () => list(identities, { scope: { childrenOf: group } }),
        create: (body: Fields) => api.create(identities, group, body, signal),
        update: (uid: string, body: Fields) => api.update(identities, uid, body, Object.keys(body), signal),
      };
      const identity = await ensureOperatorIdentity(inGroup, {
        name: values.identityName ?? `muster${suffix}`,
        claimMatch: { issuer: values.issuer, subject, audience: values.subjectTokenAudience },
        owner: ownerOf(values.ownerId, values.class),
        takeOver: values.takeOver,
      });
      const bindings = await list(roleBindings, { scope: { childrenOf: group } });
      if (!bindings.some((binding) => binding.identity.uid === identity.uid && binding.role.uid === role.uid))
        await api.create(roleBindings, group, { identityUid: identity.uid, roleUid: role.uid }, signal);
      const objects = manifests({
        configMap: values.configMap ?? `muster-system/muster-identity${suffix}`,
        identity: identity.uid,
        group,
        ownerId: values.ownerId,
        ...(values.class === undefined ? {} : { class: values.class }),
        tenant: values.tenant ?? `default${suffix}`,
        tenantNamespaces: values.tenantNamespace.length === 0 ? ["default"] : values.tenantNamespace,
        tenantRoles: values.tenantRole.length === 0 ? ["viewer"] : values.tenantRole,
        tenantIssuers: values.tenantIssuer,
      });
      stdout.write(await formatManifests(values.output, objects));
    } catch (error) {
      if (!(error instanceof PlatformFailure)) throw error;
      throw new Error(`${platformUrl.origin}: ${error.message}`, { cause: error });
    } finally {
      await transport.close();
    }
  },
});

type Fields = Readonly<Record<string, unknown>>;

function onlyOf(roots: readonly ExternalResource[]): string {
  const [first, ...more] = roots;
  if (first === undefined || more.length > 0)
    throw new Error(`--root-group is required: the platform has ${roots.length} root groups`);
  return first.uid;
}
