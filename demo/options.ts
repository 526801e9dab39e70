import { parseArgs } from "node:util";

export interface Options {
  /** The user's cluster; undefined if the demo starts a control plane. */
  readonly cluster: { readonly kubeconfig?: string; readonly context?: string } | undefined;
  readonly keep: boolean;
  /** Undefined for any free port. */
  readonly platformPort: number | undefined;
}

export const usage = `Usage: npm run demo -- [--keep] [--context NAME] [--kubeconfig FILE] [--platform-port PORT]

Shows what Muster does. Kubernetes, the platform and the operator run as real processes on this machine. It takes less
than a minute. The first run takes some minutes more, to build Kubernetes with Go.

  --keep                keep everything running at the end and print commands to try; Ctrl-C stops it
  --context NAME        use the cluster of this context instead of starting Kubernetes. The demo works in a new
                        namespace and removes everything that it creates. You must be an administrator.
  --kubeconfig FILE     use a cluster of this kubeconfig (default: your kubeconfig, with --context)
  --platform-port PORT  the platform's port on 127.0.0.1 (default: any free port)
  --help                print this text

Environment:
  KUBEBUILDER_ASSETS    a folder with etcd and kube-apiserver, which are used instead of building Kubernetes
  NO_COLOR=1            print without colour
`;

/** Flags that npm takes as its own unless they come after `--`. */
const npmFlags = ["keep", "context", "kubeconfig", "platform_port"] as const;

/** @returns "help" for --help @throws {Error} that names the invalid option */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options | "help" {
  for (const name of npmFlags)
    if (env[`npm_config_${name}`] !== undefined) {
      const flag = `--${name.replace("_", "-")}`;
      throw new Error(`npm has taken ${flag} as its own option: write -- before it, as in npm run demo -- ${flag}`);
    }
  const { help, context, kubeconfig, keep, "platform-port": port } = parse(args);
  if (help) return "help";
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536))
    throw new Error(`--platform-port: "${port}" is not a port; set a number from 1 to 65535`);
  return {
    cluster:
      context === undefined && kubeconfig === undefined
        ? undefined
        : { ...(context === undefined ? {} : { context }), ...(kubeconfig === undefined ? {} : { kubeconfig }) },
    keep,
    platformPort: port === undefined ? undefined : Number(port),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: "boolean", short: "h", default: false },
        keep: { type: "boolean", default: false },
        context: { type: "string" },
        kubeconfig: { type: "string" },
        "platform-port": { type: "string" },
      },
    }).values;
  } catch (error) {
    throw new Error((error as Error).message.split(". ")[0] ?? "", { cause: error });
  }
}
