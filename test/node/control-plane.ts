import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { etcdFlags } from "#test/support/control-plane/control-plane.ts";
import { KubeClient } from "#test/support/control-plane/kube-client.ts";
import type { CertificateAuthority } from "./certificates.ts";
import { type Credentials, writeCredentials } from "./credentials.ts";
import { network } from "./network.ts";
import { createServiceAccountKey, firstServiceAccountKey } from "./service-account-key.ts";
import type { Servers } from "./servers.ts";

/** The API of a cluster with a node, as an installer makes it: pods trust it and reach it, and it trusts the kubelet. */
export interface ControlPlane {
  readonly credentials: Credentials;
  readonly admin: KubeClient;
}

interface Options {
  readonly servers: Servers;
  /** The path of the program with etcd and the API server. */
  readonly program: string;
  readonly authority: CertificateAuthority;
  /** The address of the node. */
  readonly address: string;
  /** For files. */
  readonly folder: string;
  readonly context: string;
}

/** The default limits protect a shared API server. With them, the controllers need four seconds more to start. */
const unlimited = { "kube-api-qps": "400", "kube-api-burst": "1000" };

/** Starts etcd, the API server, the scheduler and the controller manager, and returns when the API server is ready. */
export async function startControlPlane(options: Options): Promise<ControlPlane> {
  const { servers, program, authority, address, folder, context } = options;
  const file = (name: string) => join(folder, name);
  const etcd = `unix://${file("etcd.sock")}`;
  servers.start("etcd", program, etcdFlags(file("etcd"), etcd));

  const url = `https://${address}:6443`;
  const credentials = await writeCredentials(folder, { url, caFile: authority.certificate, context });
  const service = "kubernetes.default.svc";
  const names = ["kubernetes", "kubernetes.default", service, `${service}.${network.domain}`].map(
    (dns) => `DNS:${dns}`,
  );
  const server = await authority.issue("kube-apiserver", {
    subject: "/CN=kube-apiserver",
    names: [...names, `IP:${address}`, `IP:${network.apiServer}`].join(","),
  });
  const client = await authority.issue("kube-apiserver-client", { subject: "/O=system:masters/CN=kube-apiserver" });
  const key = await createServiceAccountKey(firstServiceAccountKey(folder));
  servers.start("kube-apiserver", program, {
    "etcd-servers": etcd,
    "secure-port": "6443",
    "bind-address": "0.0.0.0",
    "advertise-address": address,
    "cert-dir": file("certificates"),
    "tls-cert-file": server.certificate,
    "tls-private-key-file": server.key,
    "client-ca-file": authority.certificate,
    "kubelet-certificate-authority": authority.certificate,
    "kubelet-client-certificate": client.certificate,
    "kubelet-client-key": client.key,
    "kubelet-preferred-address-types": "InternalIP",
    "allow-privileged": "true",
    "authorization-mode": "Node,RBAC",
    "enable-admission-plugins": "NodeRestriction",
    "token-auth-file": credentials.tokenFile,
    "service-account-issuer": `https://kubernetes.default.svc.${network.domain}`,
    "service-account-key-file": key,
    "service-account-signing-key-file": key,
    "service-cluster-ip-range": network.services,
    profiling: "false",
  });
  const ca = await readFile(authority.certificate, "utf8");
  const admin = new KubeClient({ url, ca, token: credentials.adminToken });
  await apiServerReady(admin, servers);
  servers.start("kube-scheduler", servers.programs.kubernetes, {
    ...unlimited,
    kubeconfig: credentials.kubeconfig["kube-scheduler"],
    "leader-elect": "false",
    "secure-port": "0",
  });
  servers.start("kube-controller-manager", servers.programs.kubernetes, {
    ...unlimited,
    kubeconfig: credentials.kubeconfig["kube-controller-manager"],
    "cluster-signing-cert-file": authority.certificate,
    "cluster-signing-key-file": authority.key,
    "leader-elect": "false",
    "root-ca-file": authority.certificate,
    "secure-port": "0",
    "service-account-private-key-file": key,
    "use-service-account-credentials": "true",
  });
  return { credentials, admin };
}

/** Waits until the API server is ready, and its first namespaces exist. */
export async function apiServerReady(admin: KubeClient, servers: Servers): Promise<void> {
  await servers.retry("the API server", async () => {
    await admin.request("GET", "/readyz");
    await admin.request("GET", "/api/v1/namespaces/kube-system");
    await admin.request("GET", "/api/v1/namespaces/default");
  });
}
