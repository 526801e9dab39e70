import { parseArgs } from "node:util";

export interface Options {
  /** The person's own cluster; undefined: a control plane that the demo starts. */
  readonly cluster: { readonly kubeconfig?: string; readonly context?: string } | undefined;
  readonly keep: boolean;
  /** Undefined: any free one. */
  readonly platformPort: number | undefined;
}

/** The command line is wrong; the message names the flag and the mend. */
export class OptionsError extends Error {
  override readonly name = "OptionsError";
}

export const usage = `Usage: npm run demo -- [--keep] [--context NAME] [--kubeconfig FILE] [--platform-port PORT]

Shows what Muster does, with real parts: Kubernetes, the platform and the operator, each a process of its own.
Less than a minute, once the control plane is built (with Go, the first time, some minutes).

  --keep                leave everything up at the end, and tell how to look at it; Ctrl-C ends it
  --context NAME        use your own cluster: this context of your kubeconfig. The demo works in a namespace of its
                        own there and removes what it made. It needs an administrator's rights.
  --kubeconfig FILE     the kubeconfig to take that from (default: yours)
  --platform-port PORT  the port of 127.0.0.1 where the platform answers (default: any free one)
  --help                this text

KUBEBUILDER_ASSETS names a folder with etcd and kube-apiserver, where Kubernetes is not to be built.
NO_COLOR=1 prints without colour.
`;

/** What npm takes for its own where nobody has written `--` before it. */
const swallowed = ["keep", "context", "kubeconfig", "platform_port"] as const;

/** @returns "help" where that was asked for. @throws {OptionsError} */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options | "help" {
  for (const name of swallowed)
    if (env[`npm_config_${name}`] !== undefined) {
      const flag = `--${name.replace("_", "-")}`;
      throw new OptionsError(`npm has taken ${flag} for itself: write -- before it, as in npm run demo -- ${flag}`);
    }
  const { help, context, kubeconfig, keep, "platform-port": port } = parse(args);
  if (help) return "help";
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536))
    throw new OptionsError(`--platform-port: "${port}" is not a port, a number from 1 to 65535`);
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
    throw new OptionsError((error as Error).message.split(". ")[0] ?? "", { cause: error });
  }
}
