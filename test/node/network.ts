/** The addresses inside of a cluster. Only the node itself reaches them. */
export const network = {
  pods: "10.244.0.0/24",
  services: "10.96.0.0/16",
  /** The first address of the services is the API server's. */
  apiServer: "10.96.0.1",
  dns: "10.96.0.10",
  domain: "cluster.local",
} as const;

/** The configuration of the plugins that connect pods: a bridge of the node, which enforces no network policies. */
export const podNetwork = {
  cniVersion: "1.0.0",
  name: "pods",
  plugins: [
    {
      type: "bridge",
      bridge: "cni0",
      isGateway: true,
      ipMasq: true,
      // A pod may reach itself by its Service.
      hairpinMode: true,
      ipam: { type: "host-local", ranges: [[{ subnet: network.pods }]], routes: [{ dst: "0.0.0.0/0" }] },
    },
    { type: "portmap", capabilities: { portMappings: true } },
  ],
} as const;
