import { serviceAccountDirectory } from "#src/kube/config.ts";
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
  withDefault,
} from "#src/commands/settings.ts";

const uid = matching("UID", uidPattern, "a uid: 40 hex digits, then / and 16 hex digits for each step down");
const namespace = matching("NAME", /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "a namespace's name");

/** The settings of `muster operator`. Root groups, namespaces and roles are the boundary of what it may do. */
export const operatorSettings = {
  platformUrl: required(url, "The platform's address, as the platform itself names it: also the audience of tokens."),
  authUrl: optional(url, "The token service's address, where it is not the platform's."),
  platformCa: optional(file, "PEM file with the authorities to trust for both, besides the system's own."),
  identity: required(uid, "The identity on the platform that the operator assumes."),
  tokenFile: withDefault(
    file,
    "/var/run/secrets/muster/token",
    "The file with the operator's own service-account token, which is exchanged for the platform's.",
  ),
  rootGroup: requiredList(uid, "A group below which the operator may work; nothing outside is ever written or bound."),
  watchNamespace: requiredList(namespace, "A namespace whose Muster objects the operator looks after."),
  allowedRole: requiredList(text, "A role that may be bound: a built-in one's name, or a uid."),
  serviceAccountDirectory: withDefault(
    file,
    serviceAccountDirectory,
    "Where the pod's own service account is mounted: ca.crt, namespace and token.",
  ),
  kubeconfig: optional(file, "The kubeconfig to use. Without this and --context: the pod's own service account."),
  context: optional(text, "The context of the kubeconfig."),
  listen: withDefault(listenAddress, "0.0.0.0:8080", "Where /livez, /readyz and /metrics answer."),
  leaseNamespace: optional(namespace, "The Lease's namespace. Default: the pod's own, or that of the context."),
  leaseName: withDefault(text, "muster", "The Lease by which one operator of several leads."),
  leaseDuration: withDefault(duration, "15s", "How long others wait for a leader that has fallen silent."),
  resync: withDefault(duration, "10m", "How often the platform is listed to find drift, within 10 %."),
  workers: withDefault(integer(1, 64), "16", "Objects that are worked on at once."),
  platformTimeout: withDefault(duration, "10s", "How long one call to the platform may take."),
  settleTime: withDefault(
    duration,
    "5s",
    "How much longer than --platform-timeout a request with a lost answer may still take effect. Absence is not believed before.",
  ),
  breakerObjects: withDefault(
    integer(1, 1_000_000),
    "20",
    "If so many objects of a kind, and 10 % of them, are gone from the platform at once, they are not made anew without being asked.",
  ),
  ownerId: optional(
    text,
    "What marks things on the platform as this cluster's. Default: the uid of the namespace kube-system. Set it to keep what exists across a rebuilt cluster.",
  ),
  previousOwnerId: optionalList(text, "An earlier owner id, whose things are this cluster's too."),
  logLevel: withDefault(oneOf("debug", "info", "warn", "error"), "info", "The least severe lines to log."),
} as const;
