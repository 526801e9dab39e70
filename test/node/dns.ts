import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { corednsImage } from "./images.ts";
import { network } from "./network.ts";

const name = "coredns";
const metadata = { name, namespace: "kube-system" };
/** The label by which network policies select the DNS of a cluster. */
const labels = { "k8s-app": "kube-dns" };

/** Names of the cluster only: nothing outside of this machine can be reached. */
const corefile = `.:53 {
  ready
  errors
  kubernetes ${network.domain} in-addr.arpa ip6.arpa {
    pods insecure
  }
}
`;

/** The DNS of the cluster, in the order in which its objects are applied. */
export const dns: readonly KubeObject[] = [
  { apiVersion: "v1", kind: "ServiceAccount", metadata },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name },
    rules: [
      { apiGroups: [""], resources: ["endpoints", "services", "pods", "namespaces"], verbs: ["list", "watch"] },
      { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
    ],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  },
  { apiVersion: "v1", kind: "ConfigMap", metadata, data: { Corefile: corefile } },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kube-dns", namespace: metadata.namespace, labels },
    spec: {
      clusterIP: network.dns,
      selector: labels,
      ports: [
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "dns-tcp", port: 53, protocol: "TCP" },
      ],
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadata, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          priorityClassName: "system-cluster-critical",
          dnsPolicy: "Default",
          containers: [
            {
              name,
              image: corednsImage,
              imagePullPolicy: "Never",
              args: ["-conf", "/etc/coredns/Corefile"],
              readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 1 },
              volumeMounts: [{ name: "config", mountPath: "/etc/coredns", readOnly: true }],
            },
          ],
          volumes: [{ name: "config", configMap: { name } }],
        },
      },
    },
  },
];
