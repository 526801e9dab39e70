import { operatorSettings } from "#src/commands/operator/settings.ts";
import { platformSettings } from "#src/commands/platform/settings.ts";
import {
  automaticToggle,
  type JsonSchema,
  kubernetes,
  object,
  text,
  textList,
  textMap,
  toggle,
  wholeNumber,
} from "./json-schema.ts";
import { settingsSchema } from "./settings-schema.ts";
import { tenantSchema } from "./tenant-schema.ts";

/** What the pods of each workload have. */
const pod = {
  podAnnotations: textMap("Annotations of the pods."),
  podLabels: textMap("Additional labels of the pods."),
  podSecurityContext: kubernetes(
    "PodSecurityContext",
    "The security context of the pods, which satisfies the restricted Pod Security Standard. On OpenShift, set runAsUser, runAsGroup and fsGroup to null.",
    {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      fsGroup: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    },
  ),
  nodeSelector: textMap("Labels that a node must have to run the pods."),
  tolerations: kubernetes("list of Toleration", "Taints of nodes that the pods tolerate.", []),
  affinity: kubernetes("Affinity", "Affinity of the pods."),
  topologySpreadConstraints: {
    type: ["array", "null"],
    title: "list of TopologySpreadConstraint",
    description: "How the pods are spread. Default: over nodes, where possible. An empty list: no constraint.",
    default: null,
  },
  priorityClassName: text("The priority class of the pods."),
  extraEnv: kubernetes("list of EnvVar", "Additional environment variables of the container.", []),
  extraVolumes: kubernetes("list of Volume", "Additional volumes of the pods.", []),
  extraVolumeMounts: kubernetes("list of VolumeMount", "Where the container mounts the additional volumes.", []),
} satisfies Record<string, JsonSchema>;

const resources = (memory: string, start: string, reason: string) =>
  kubernetes(
    "ResourceRequirements",
    `Requests and limits of the container. ${reason} With 100m of CPU it starts in ${start} on a node that has no more; a limit of CPU would make each start so slow. The heap of the process is limited to half of the memory limit.`,
    { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory } },
  );

const networkPolicy = (subject: string) =>
  object(`Which peers can connect to ${subject}. Egress is not restricted.`, {
    enabled: toggle("Whether to create a NetworkPolicy.", false),
    from: kubernetes(
      "list of NetworkPolicyPeer",
      "The peers that can connect, in addition to the pods of the release. An empty list: everyone.",
      [],
    ),
  });

const podDisruptionBudget = (description: string) =>
  object(description, {
    enabled: toggle("Whether to create a PodDisruptionBudget.", true),
    maxUnavailable: {
      type: ["integer", "string"],
      description: "How many replicas may be unavailable while nodes are drained.",
      default: 1,
    },
  });

const platform = object("A platform in this cluster. Without it, settings.platformUrl names an existing one.", {
  enabled: toggle("Whether to run a platform.", false),
  clusterIssuer: text(
    "The issuer of the operator's service-account tokens. Empty: that of this cluster, as a token in the platform's pod names it.",
  ),
  baseUrl: text(
    "The address of the API as clients use it. Default: the host of ingress or gateway, otherwise the address of the Service.",
  ),
  replicas: wholeNumber(
    "The number of replicas. More than one needs database.existingSecret. settings.drainDelay is then 5s by default.",
    1,
  ),
  podDisruptionBudget: podDisruptionBudget("The PodDisruptionBudget of the platform, if it has several replicas."),
  settings: settingsSchema("The settings of `muster platform`, each by its name.", platformSettings, [
    "data",
    "database",
    "listen",
    "healthListen",
    "tlsCert",
    "tlsKey",
    "baseUrl",
    "adminTokenFile",
    "initFile",
    "keyFile",
  ]),
  database: object("PostgreSQL as the store, instead of SQLite on a volume.", {
    existingSecret: text(
      "The Secret with the URL of the database: postgres://USER:PASSWORD@HOST/DATABASE?sslmode=verify-full. Empty: SQLite.",
    ),
    urlKey: text("The key of the URL in existingSecret.", "url"),
    keyFileSecret: text(
      "The Secret with the key file, which encrypts secrets in the database: the output of `openssl rand -base64 32`. Empty: existingSecret.",
    ),
    keyFileKey: text("The key of the key file in keyFileSecret.", "key"),
  }),
  persistence: object("The volume for SQLite.", {
    size: text("The size of the volume.", "1Gi"),
    storageClassName: text("The storage class of the volume. Empty: the default class of the cluster."),
  }),
  tls: object("TLS of the platform. Without it, the platform serves plain HTTP inside the cluster.", {
    secretName: text(
      "The Secret with tls.crt, tls.key and ca.crt. With certManager, the name of the Secret that it creates.",
    ),
    certManager: object("A certificate from cert-manager.", {
      enabled: toggle("Whether to create a Certificate.", false),
      issuerRef: kubernetes("IssuerReference", "The issuer: name, and kind if it is not Issuer."),
    }),
  }),
  ingress: object("An Ingress for the platform.", {
    enabled: toggle("Whether to create an Ingress.", false),
    className: text("The class of the Ingress. Empty: the default class of the cluster."),
    host: text("The host name of the platform."),
    annotations: textMap("Annotations of the Ingress."),
    tlsSecretName: text("The Secret with the certificate of the host. Empty: the controller's default certificate."),
  }),
  gateway: object("An HTTPRoute of the Gateway API for the platform.", {
    enabled: toggle("Whether to create an HTTPRoute.", false),
    host: text("The host name of the platform."),
    parentRefs: kubernetes("list of ParentReference", "The Gateways that serve the route.", []),
  }),
  publicDiscovery: toggle(
    "Whether everybody can read the public keys that verify service-account tokens of this cluster, as on managed clusters. The platform reads them without credentials.",
    true,
  ),
  networkPolicy: networkPolicy("the platform"),
  resources: resources(
    "512Mi",
    "4 s",
    "It uses 98 MiB after half an hour of two changes per second; most of the memory limit is for connections.",
  ),
  ...pod,
});

const properties: Readonly<Record<string, JsonSchema>> = {
  nameSuffix: text(
    "Ends the name of every object. Default: -CLASS if settings.class is set, so that one cluster can have several operators.",
  ),
  image: object("The image of all containers.", {
    repository: text("The repository of the image.", "muster"),
    tag: text("The tag of the image. Default: the version of the chart."),
    digest: text("The digest of the image, such as sha256:…, which takes precedence over the tag."),
    pullPolicy: text("When the image is pulled. Empty: the default of Kubernetes.", "", {
      enum: ["", "Always", "IfNotPresent", "Never"],
    }),
    pullSecrets: kubernetes("list of LocalObjectReference", "The Secrets with which the image is pulled.", []),
  }),
  settings: settingsSchema(
    "The settings of `muster operator`, each by its name. Required are platformUrl, identity, rootGroup and allowedRole; with platform.enabled, only allowedRole.",
    operatorSettings,
    ["listen", "tokenFile", "serviceAccountDirectory", "kubeconfig", "context", "leaseName", "leaseNamespace"],
  ),
  settingsFrom: textList(
    "Names of ConfigMaps with more settings of `muster operator` as MUSTER_ variables, such as the one that `muster bootstrap` prints. The operator's pods wait until they exist.",
  ),
  tokenAudience: text(
    "The audience of the service-account token that the operator exchanges at the platform.",
    "muster",
  ),
  tenants: {
    type: "object",
    description:
      "Tenants by name, each with its spec. They are kept when the release is uninstalled or the value is removed. A text can be a template. The class is that of settings.class.",
    default: {},
    additionalProperties: tenantSchema(),
  },
  replicas: wholeNumber("The number of replicas of the operator. One leads; the others take over from it.", 2),
  serviceAccount: object("The service account of the operator.", {
    create: toggle("Whether to create the service account.", true),
    name: text(
      "The name of the service account, which is also that of the Lease. Default: muster-operator and the name suffix.",
    ),
    annotations: textMap("Annotations of the service account."),
  }),
  resources: resources("256Mi", "8 s", "It uses 78 MiB with 2,000 objects, and 127 MiB with 10,000."),
  ...pod,
  podDisruptionBudget: podDisruptionBudget("The PodDisruptionBudget of the operator, if it has several replicas."),
  networkPolicy: networkPolicy("the operator, which serves metrics and probes"),
  userRoles: toggle(
    "Whether to create ClusterRoles for people, three of which Kubernetes adds to its roles view, edit and admin. Only one release of a cluster needs them.",
    true,
  ),
  finalizerPolicy: object(
    "The admission policy that adds the finalizer to new objects, which saves one write per object.",
    {
      enabled: automaticToggle(
        "Whether to create the policy. Default: if the cluster serves MutatingAdmissionPolicy v1 (Kubernetes 1.36).",
      ),
    },
  ),
  podInjection: object("The admission policies that give pods with the label iam.muster.dev/identity their identity.", {
    enabled: automaticToggle(
      "Whether to create the policies. Default: if the cluster serves MutatingAdmissionPolicy v1 (Kubernetes 1.36), and settings.class is not set: one release of a cluster is enough.",
    ),
    requests: kubernetes(
      "map of Quantity",
      "The resource requests of the agent in each pod. It uses 17 MiB, and 30 MiB while a probe runs at its start.",
      {
        cpu: "5m",
        memory: "32Mi",
      },
    ),
    limits: kubernetes("map of Quantity", "The resource limits of the agent in each pod.", { memory: "192Mi" }),
    env: {
      type: "array",
      title: "list of name and value",
      description:
        "Variables of the agent in each pod, such as HTTPS_PROXY and NO_PROXY. Everybody who can read a pod sees them.",
      default: [],
      items: {
        ...object("A variable.", { name: text("Its name."), value: text("Its value.") }),
        required: ["name", "value"],
      },
    },
    platformCa: object(
      "The certificate authorities that the agents trust for the platform, instead of the default ones.",
      {
        configMap: text(
          "The name of a ConfigMap in the namespace of each pod, such as the one that a Bundle of trust-manager writes. Pods wait until it exists. Empty: the default authorities.",
        ),
        key: text("The key of the ConfigMap with the PEM certificates.", "ca.crt"),
      },
    ),
  }),
  serviceMonitor: object("Metrics for the Prometheus operator.", {
    enabled: toggle(
      "Whether to create a ServiceMonitor for the operator, and one for the platform of this release.",
      false,
    ),
    interval: text("The interval of scrapes. Empty: the default of Prometheus."),
    labels: textMap("Labels of the ServiceMonitors, by which a Prometheus selects it."),
  }),
  prometheusRule: object(
    "Alerts for the Prometheus operator, each with the path of its cause and fix in docs/operate/.",
    {
      enabled: toggle(
        "Whether to create a PrometheusRule for the operator, and one for the platform of this release.",
        false,
      ),
      labels: textMap("Labels of the PrometheusRules, by which a Prometheus selects them."),
      runbookBaseUrl: text(
        "What precedes the path in the annotation runbook_url of each alert, such as https://git.example.com/muster/blob/main/. Empty: no link.",
      ),
    },
  ),
  dashboards: object("Dashboards for Grafana, as ConfigMaps that its sidecar finds.", {
    enabled: toggle("Whether to create a ConfigMap for the operator, and one for the platform of this release.", false),
    labels: { ...textMap("Labels of the ConfigMaps."), default: { grafana_dashboard: "1" } },
  }),
  platform,
  global: {
    type: "object",
    description: "Values of a chart that has this one as a dependency. Not used.",
    default: {},
  },
};

/** The values of the chart `muster`. `values.yaml`, `values.schema.json` and the README of the chart are generated from it. */
export const chartValues: JsonSchema = object("The values of the chart muster.", properties);
