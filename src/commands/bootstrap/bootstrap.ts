import { ownerIdPattern, ownerOf } from "#src/platform-client/owner-record.ts";
import { uidPattern } from "#src/platform-client/uid.ts";
import { defineCommand } from "#src/commands/command.ts";
import { Proxies } from "#src/http/proxies.ts";
import { formatManifests, manifestOutput } from "#src/commands/output/output-format.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { AdminApi, type Resource } from "./admin-api.ts";
import { manifests } from "./manifests.ts";
import { ensureOperatorIdentity } from "./operator-identity.ts";

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
      "Change the identity that records the owner id so that the operator of this cluster assumes it, or replace the owner id of this cluster's identity. Only if the other cluster is gone.",
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
      "A role that the Tenant's objects may bind, which the operator's --allowed-role must permit, too. (default: viewer)",
    ),
    tenantIssuer: settings.optionalList(
      settings.text,
      "An issuer that the Tenant's Identity objects may name, with every subject: add subjectPrefixes to spec.claimIssuers of the Tenant to limit the subjects. (default: none, so that only service accounts of their namespaces may be used)",
    ),
    output: manifestOutput(),
  },
  /** Idempotent: a second run uses the existing identity and role binding, and prints the same manifests. */
  run: async (values, { env, signal, stdout }) => {
    // What several operators in one cluster must not share has the class in its name, as with nameSuffix in an overlay.
    const suffix = values.class === undefined ? "" : `-${values.class}`;
    const serviceAccount = values.serviceAccount ?? `muster-system/muster-operator${suffix}`;
    settings.requirePrivateFile("--admin-token-file", values.adminTokenFile);
    const api = new AdminApi({
      platformUrl: values.platformUrl,
      ...(values.platformCa === undefined
        ? {}
        : { ca: await settings.readTextFile("--platform-ca", values.platformCa) }),
      adminToken: (await settings.readTextFile("--admin-token-file", values.adminTokenFile)).trim(),
      proxies: await Proxies.fromEnvironment(env),
      signal,
    });
    try {
      const group = values.rootGroup ?? onlyOf(await api.list("groups", { "uidp.in_root": "true" }));
      const [role] = await api.list("roles", { name: values.role });
      if (role === undefined) throw new Error(`--role: the role "${values.role}" does not exist on the platform`);
      const subject = `system:serviceaccount:${serviceAccount.replace("/", ":")}`;
      const identity = await ensureOperatorIdentity(api, group, {
        name: values.identityName ?? `muster${suffix}`,
        claimMatch: { issuer: values.issuer, subject, audience: values.subjectTokenAudience },
        owner: ownerOf(values.ownerId, values.class),
        takeOver: values.takeOver,
      });
      const bindings = await api.list("roleBindings", { "uidp.children_of": group });
      if (!bindings.some((binding) => binding.identity?.uid === identity.uid && binding.role?.uid === role.uid))
        await api.create("roleBindings", group, { identityUid: identity.uid, roleUid: role.uid });
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
    } finally {
      await api.close();
    }
  },
});

function onlyOf(groups: readonly Resource[]): string {
  const [first, ...more] = groups;
  if (first === undefined || more.length > 0)
    throw new Error(`--root-group is required: the platform has ${groups.length} root groups`);
  return first.uid;
}
