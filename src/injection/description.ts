import {
  agentContainer,
  authoritiesDirectory,
  authoritiesFile,
  authoritiesVolume,
  sourceDirectory,
  sourceFile,
  sourceVolume,
  tokenDirectory,
  tokenFile,
  tokenVolume,
} from "./names.ts";
import { startupProbe } from "./startup-probe.ts";
import { Hole, IfSet, ItemsOf, type ListTemplate, Optional, type Template } from "./template.ts";

/** What differs from pod to pod: the values of the Identity, from its status. */
export interface IdentityValues {
  /** `status.uid` */
  readonly uid: string;
  /** `status.exchange`: `url`, `platformUrl`, `audience` and `apiAudience` */
  readonly exchangeUrl: string;
  readonly platformUrl: string;
  readonly audience: string;
  readonly apiAudience: string;
}

/** What an administrator sets for all pods of an installation. */
export interface InjectionSettings {
  /** The image of the agent. */
  readonly image: string;
  /** Resources of the agent by name, such as `{cpu: "5m"}`. */
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
  /** Variables of the agent, such as HTTPS_PROXY. */
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /**
   * The ConfigMap with the certificate authorities of the platform, and its key. It is in the namespace of the pod, because a
   * pod can mount no other. An empty name: the authorities that Node trusts.
   */
  readonly caConfigMap: string;
  readonly caKey: string;
}

/** What depends on the pod. */
export interface PodValues {
  /** The user of the agent; undefined where its security context names none. */
  readonly agentUser: number | undefined;
}

/**
 * The settings in the manifests. The request is above the peak of an agent with its probe beside it (docs/operate/sizing.md). The limit
 * reserves nothing: it ends an agent that leaks.
 */
export const defaultSettings: InjectionSettings = {
  image: "muster",
  requests: { cpu: "5m", memory: "32Mi" },
  limits: { memory: "192Mi" },
  env: [],
  caConfigMap: "",
  caKey: "ca.crt",
};

/** The values that all pods of an Identity have in common. */
export type CommonValues = IdentityValues & InjectionSettings;
export type InjectionValues = CommonValues & PodValues;
type Value = keyof InjectionValues;
type List<Item> = ListTemplate<Value, Item>;

/** An item of a list of a pod that is keyed by its name. */
export type NamedItem = { readonly name: string } & { readonly [field: string]: Template<Value> };
/** A variable of a container. */
export type Variable = { readonly name: string; readonly value: string | Hole<keyof IdentityValues> };
/** A mount of a container. All of them are read-only. */
export type Mount = { readonly name: string; readonly mountPath: string };

/**
 * What a pod gets. An item that the pod already has is replaced: a pod can come from the manifest of one that was injected
 * before. The admission policies and `muster inject` are both made from this description.
 */
export interface Injection {
  /** Volumes, after those of the pod. */
  readonly volumes: List<NamedItem>;
  /** Init containers, before those of the pod: with the restart policy `Always`, they run until the pod's containers have ended. */
  readonly initContainers: List<NamedItem>;
  /** Environment of every container that is not an init container. */
  readonly environment: List<Variable>;
  /** Mounts of every container that is not an init container. */
  readonly mounts: List<Mount>;
}

const value = <Name extends Value>(name: Name): Hole<Name> => new Hole(name);

const identityVariable = { name: "MUSTER_IDENTITY", value: value("uid") };
const platformVariable = { name: "MUSTER_PLATFORM_URL", value: value("platformUrl") };
/** What an exchange needs in addition to the token. */
const exchangeVariables = [
  { name: "MUSTER_AUTH_URL", value: value("exchangeUrl") },
  { name: "MUSTER_API_AUDIENCE", value: value("apiAudience") },
];

/**
 * Not optional: the kubelet then starts no container before the ConfigMap exists, and its event names it. It also keeps the
 * file if the ConfigMap is deleted.
 */
const authorities = new IfSet("caConfigMap", [
  {
    name: authoritiesVolume,
    configMap: { name: value("caConfigMap"), items: [{ key: value("caKey"), path: authoritiesFile }] },
  },
]);
const authoritiesVariable = new IfSet("caConfigMap", [
  { name: "MUSTER_PLATFORM_CA", value: `${authoritiesDirectory}/${authoritiesFile}` },
]);
const authoritiesMount = new IfSet("caConfigMap", [{ name: authoritiesVolume, mountPath: authoritiesDirectory }]);

const source = {
  name: sourceVolume,
  projected: {
    // The kubelet replaces the token after 80 % of this time.
    sources: [{ serviceAccountToken: { path: sourceFile, audience: value("audience"), expirationSeconds: 3600 } }],
  },
};

const agent = {
  name: agentContainer,
  image: value("image"),
  args: ["agent"],
  restartPolicy: "Always",
  env: [identityVariable, ...exchangeVariables, authoritiesVariable, new ItemsOf("env")],
  resources: { requests: value("requests"), limits: value("limits") },
  startupProbe,
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    runAsUser: new Optional("agentUser"),
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  },
  volumeMounts: [
    { name: sourceVolume, mountPath: sourceDirectory, readOnly: true },
    { name: tokenVolume, mountPath: tokenDirectory },
    new IfSet("caConfigMap", [{ name: authoritiesVolume, mountPath: authoritiesDirectory, readOnly: true }]),
  ],
};

/** The agent keeps a token of the platform in a file. */
export const withAgent: Injection = {
  volumes: [source, { name: tokenVolume, emptyDir: { medium: "Memory", sizeLimit: "1Mi" } }, authorities],
  initContainers: [agent],
  environment: [
    identityVariable,
    platformVariable,
    { name: "MUSTER_TOKEN_FILE", value: `${tokenDirectory}/${tokenFile}` },
    authoritiesVariable,
  ],
  mounts: [{ name: tokenVolume, mountPath: tokenDirectory }, authoritiesMount],
};

/** The program exchanges the projected token by itself. */
export const withoutAgent: Injection = {
  volumes: [source, authorities],
  initContainers: [],
  environment: [
    identityVariable,
    platformVariable,
    { name: "MUSTER_SUBJECT_TOKEN_FILE", value: `${sourceDirectory}/${sourceFile}` },
    ...exchangeVariables,
    authoritiesVariable,
  ],
  mounts: [{ name: sourceVolume, mountPath: sourceDirectory }, authoritiesMount],
};
