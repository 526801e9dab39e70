import {
  agentContainer,
  sourceDirectory,
  sourceFile,
  sourceVolume,
  tokenDirectory,
  tokenFile,
  tokenVolume,
} from "./names.ts";
import { Hole, type Template } from "./template.ts";

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

/** What an administrator sets for the agents of all pods. */
export interface AgentSettings {
  readonly image: string;
  /** Resources of the container by name, such as `{cpu: "5m"}`. */
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

/** The settings in the manifests. The limit is about three times what an agent uses. */
export const defaultAgentSettings: AgentSettings = {
  image: "muster",
  requests: { cpu: "5m", memory: "48Mi" },
  limits: { memory: "192Mi" },
};

export type InjectionValues = IdentityValues & AgentSettings;
type Value = keyof InjectionValues;

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
  readonly volumes: readonly NamedItem[];
  /** Init containers, before those of the pod: with the restart policy `Always`, they run until the pod's containers have ended. */
  readonly initContainers: readonly NamedItem[];
  /** Environment of every container that is not an init container. */
  readonly environment: readonly Variable[];
  /** Mounts of every container that is not an init container. */
  readonly mounts: readonly Mount[];
}

const value = <Name extends Value>(name: Name): Hole<Name> => new Hole(name);

const identityVariable = { name: "MUSTER_IDENTITY", value: value("uid") };
const platformVariable = { name: "MUSTER_PLATFORM_URL", value: value("platformUrl") };
/** What an exchange needs in addition to the token. */
const exchangeVariables = [
  { name: "MUSTER_AUTH_URL", value: value("exchangeUrl") },
  { name: "MUSTER_API_AUDIENCE", value: value("apiAudience") },
];

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
  env: [identityVariable, ...exchangeVariables],
  resources: { requests: value("requests"), limits: value("limits") },
  // The containers of the pod start once there is a token. The reason why there is none becomes an event of the pod.
  startupProbe: {
    exec: { command: ["muster", "agent", "--check"] },
    periodSeconds: 5,
    timeoutSeconds: 5,
    failureThreshold: 60,
  },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    runAsUser: 65532,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  },
  volumeMounts: [
    { name: sourceVolume, mountPath: sourceDirectory, readOnly: true },
    { name: tokenVolume, mountPath: tokenDirectory },
  ],
};

/** The agent keeps a token of the platform in a file. */
export const withAgent: Injection = {
  volumes: [source, { name: tokenVolume, emptyDir: { medium: "Memory", sizeLimit: "1Mi" } }],
  initContainers: [agent],
  environment: [
    identityVariable,
    platformVariable,
    { name: "MUSTER_TOKEN_FILE", value: `${tokenDirectory}/${tokenFile}` },
  ],
  mounts: [{ name: tokenVolume, mountPath: tokenDirectory }],
};

/** The program exchanges the projected token by itself. */
export const withoutAgent: Injection = {
  volumes: [source],
  initContainers: [],
  environment: [
    identityVariable,
    platformVariable,
    { name: "MUSTER_SUBJECT_TOKEN_FILE", value: `${sourceDirectory}/${sourceFile}` },
    ...exchangeVariables,
  ],
  mounts: [{ name: sourceVolume, mountPath: sourceDirectory }],
};
