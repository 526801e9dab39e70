import { serviceAccountDirectory } from "#src/kube/config.ts";
import { ownerIdPattern } from "#src/platform-client/owner-record.ts";
import { uidPattern } from "#src/platform-client/uid.ts";
import {
  duration,
  file,
  integer,
  listenAddress,
  matching,
  oneOf,
  optional,
  optionalList,
  required,
  requiredList,
  text,
  url,
  type Values,
  withDefault,
} from "#src/commands/settings/settings.ts";

const uid = matching("UID", uidPattern, "a uid: 40 hex digits, then / and 16 hex digits for each level below");
const namespace = matching("NAME", /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "the name of a namespace");
const className = matching(
  "CLASS",
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  "a class: lowercase letters, digits and '-', starting and ending with a letter or digit",
);
const ownerId = matching("ID", ownerIdPattern, "an owner id: letters, digits and the characters . _ -, at most 64");
const role = matching("ROLE", /^[^,;\s][^,;]*$/, "the name or uid of a role. Commas separate several roles");

/** The settings of `muster operator`. Root groups, namespaces and roles are the outer bound of every Tenant. */
export const operatorSettings = {
  platformUrl: required(
    url,
    "The platform's base URL, exactly as in the platform's --base-url: it is also the audience of tokens.",
  ),
  authUrl: optional(url, "The address of the token service. (default: --platform-url)"),
  platformCa: optional(
    file,
    "PEM file with the certificate authorities to trust for the platform and its token service, instead of the default ones.",
  ),
  identity: required(
    uid,
    "The uid of the identity on the platform that the operator assumes. `muster bootstrap` creates it.",
  ),
  tokenFile: withDefault(
    file,
    "/var/run/secrets/muster/token",
    "File with the operator's service-account token, which it exchanges for a token of the platform.",
  ),
  serviceAccountAudience: optional(
    text,
    "The audience that an identity with serviceAccountRef expects of the service account's tokens, if serviceAccountRef.audience is absent. (default: the host name of --auth-url)",
  ),
  serviceAccountKeys: withDefault(
    oneOf("discover", "upload"),
    "discover",
    "How the platform gets the keys of the cluster's service-account tokens: it discovers them at their issuer, or, if it cannot reach that, the operator uploads them into the identities with serviceAccountRef. Uploading needs the type StaticKeys in spec.identityTypes of the Tenants.",
  ),
  dropKey: optionalList(
    text,
    "With --service-account-keys upload: the id (kid) of a leaked key, to remove it from the identities at once. Rotate the keys of the API servers first.",
  ),
  rootGroup: requiredList(
    uid,
    "The uid of a group in and below which Tenants may use resources. No Tenant can permit anything outside of these groups, and the operator never writes or grants anything there.",
  ),
  allowedNamespace: optionalList(
    namespace,
    "A namespace that a Tenant may select. Objects in other namespaces are ignored. (default: every namespace)",
  ),
  allowedRole: requiredList(
    role,
    "A role that RoleBinding objects may grant if their Tenant lists it: the name of a built-in role, or a uid. No Tenant can permit another one.",
  ),
  class: optional(
    className,
    "The class of the Tenants that this operator serves. Set it if the cluster has several operators: one without a class, and one for each class. (default: Tenants without a class)",
  ),
  serviceAccountDirectory: withDefault(
    { ...file, placeholder: "FOLDER" },
    serviceAccountDirectory,
    "Folder where the pod's service account is mounted: ca.crt, namespace and token.",
  ),
  kubeconfig: optional(
    file,
    "The kubeconfig to use. (default: the pod's service account; with --context, the user's kubeconfig)",
  ),
  context: optional(text, "The context of the kubeconfig. (default: its current context)"),
  listen: withDefault(listenAddress, "0.0.0.0:8080", "The address that serves /livez, /readyz and /metrics."),
  leaseNamespace: optional(namespace, "The namespace of the Lease. (default: the pod's, or the context's)"),
  leaseName: optional(
    text,
    "The Lease that elects the leader among several operators. (default: muster-operator; with --class, muster-operator-CLASS)",
  ),
  leaseDuration: withDefault(
    duration,
    "15s",
    "How long followers wait after the leader's last renewal before one of them takes over.",
  ),
  resync: withDefault(
    duration,
    "10m",
    "The interval at which the platform is listed to detect drift, varied at random by up to 10 %.",
  ),
  workers: withDefault(integer(1, 64), "16", "The number of objects to reconcile concurrently."),
  platformTimeout: withDefault(duration, "10s", "The deadline for one call to the platform."),
  settleTime: withDefault(
    duration,
    "5s",
    "How long after --platform-timeout a request without a response may still take effect. Until then the operator does not conclude that a resource is absent.",
  ),
  breakerObjects: withDefault(
    integer(1, 1_000_000),
    "20",
    "Ask a person before re-creating resources when at least this many of one kind and Tenant, and 10 % of them, disappear at once; and before removing as many undeclared ones.",
  ),
  ownerId: optional(
    ownerId,
    "The id that marks resources on the platform as managed by this cluster. Set it, to the same id as in `muster bootstrap`, to keep managing the same resources after the cluster is rebuilt. (default: the uid of the namespace kube-system)",
  ),
  publicIssuer: optionalList(
    matching("ISSUER", /^[^\s,;]+$/, "an issuer. Commas separate several issuers"),
    "An issuer at which anybody can have an account, in addition to those that Muster knows. A Tenant needs subjectPrefixes to allow subject patterns of such an issuer, and an Identity that anybody there could assume raises an Event.",
  ),
  previousOwnerId: optionalList(
    ownerId,
    "A former owner id of this cluster. The operator also recognizes its markers as its own.",
  ),
  logLevel: withDefault(oneOf("debug", "info", "warn", "error"), "info", "The minimum level of log lines."),
} as const;

export type OperatorValues = Values<typeof operatorSettings>;
