import { type CommandContext, defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { readStream, readText } from "#src/files/read-text.ts";
import { type InjectionSettings, defaultSettings } from "#src/injection/description.ts";
import { KubeClient } from "#src/kube/client.ts";
import { readConnection } from "#src/kube/config.ts";
import { systemClock } from "#src/time/clock.ts";
import { givenValues, valuesFromCluster } from "./identity-values.ts";
import { injectFile, type ValuesOf } from "./inject-file.ts";

const quantity = settings.matching(
  "NAME=QUANTITY",
  /^[A-Za-z0-9._/-]+=[+-]?(\d+\.?\d*|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/,
  "NAME=QUANTITY, such as memory=48Mi",
);

const variable: settings.ValueType<string> = {
  placeholder: "NAME=VALUE",
  commas: true,
  parse: (value) => {
    // The message does not repeat the text, which may contain the password of a proxy.
    if (!/^[A-Za-z_][A-Za-z0-9_]*=/.test(value)) throw new Error("must be NAME=VALUE, such as NO_PROXY=.svc");
    return value;
  },
};

const commandSettings = {
  file: {
    ...settings.requiredList(settings.file, "A file of YAML or JSON manifests; - is the standard input."),
    short: "f",
  },
  identity: settings.optional(
    settings.matching(
      "UID",
      /^[0-9a-f]{40}(\/[0-9a-f]{16})+$/,
      "the uid of an identity: 40 hex digits, then / and 16 hex digits for each level below",
    ),
    "The uid of the identity on the platform (status.uid of the Identity), for a pipeline without access to the cluster. Requires --platform-url. (default: read the Identity from the cluster)",
  ),
  platformUrl: settings.optional(
    settings.url,
    "With --identity: the platform's base URL (status.exchange.platformUrl).",
  ),
  authUrl: settings.optional(
    settings.url,
    "With --identity: the address of the token service. (default: --platform-url)",
  ),
  subjectTokenAudience: settings.optional(
    settings.text,
    "With --identity: the audience that the identity expects of the tokens that pods exchange (status.exchange.audience). (default: the host name of --auth-url)",
  ),
  apiAudience: settings.optional(
    settings.text,
    "With --identity: the audience of the platform's token (status.exchange.apiAudience). (default: --platform-url)",
  ),
  agentImage: settings.required(
    settings.text,
    "The image of the agent: the operator's, with its tag or digest. The manifests then do not depend on the version of this command.",
  ),
  agentRequest: settings.optionalList(
    quantity,
    `A resource that the agent requests, such as cpu=5m. (default: ${listed(defaultSettings.requests)})`,
  ),
  agentLimit: settings.optionalList(
    quantity,
    `A limit of a resource of the agent, such as memory=192Mi. (default: ${listed(defaultSettings.limits)})`,
  ),
  agentEnv: settings.optionalList(
    variable,
    "A variable of the agent, such as HTTPS_PROXY=http://proxy.example.com:3128. Everybody who can read the pod sees it.",
  ),
  platformCaConfigMap: settings.optional(
    settings.matching("NAME", /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, "the name of a ConfigMap"),
    "The ConfigMap in the namespace of the pod with the certificate authorities to trust for the platform, instead of the default ones.",
  ),
  platformCaKey: settings.withDefault(
    settings.matching("KEY", /^[-._a-zA-Z0-9]{1,253}$/, "a key of a ConfigMap"),
    defaultSettings.caKey,
    "The key of that ConfigMap with the PEM certificates.",
  ),
  namespace: {
    ...settings.optional(
      settings.matching("NAME", /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "the name of a namespace"),
      "The namespace of manifests that name none. (default: the context's)",
    ),
    short: "n",
  },
  kubeconfig: settings.optional(settings.file, "The kubeconfig to use. (default: the user's kubeconfig)"),
  context: settings.optional(settings.text, "The context of the kubeconfig. (default: its current context)"),
} as const;

type InjectValues = settings.Values<typeof commandSettings>;

export default defineCommand({
  summary: "give the pods in manifests their identity, for clusters before Kubernetes 1.36",
  settings: commandSettings,
  /** Prints the manifests of all files. It prints nothing if a pod cannot be injected. */
  run: async (values, context) => {
    const { env, signal, stdout } = context;
    const texts = await Promise.all(values.file.map((path) => readManifests(path, context)));
    const { valuesOf, close } = await source(values, { env, signal });
    try {
      const results: string[] = [];
      for (const [index, text] of texts.entries())
        results.push(await injectFile(values.file[index] ?? "", text, valuesOf));
      stdout.write(joined(results));
    } finally {
      await close();
    }
  },
});

/** Where the values of Identities come from. */
async function source(
  values: InjectValues,
  { env, signal }: Pick<CommandContext, "env" | "signal">,
): Promise<{ readonly valuesOf: ValuesOf; readonly close: () => Promise<void> }> {
  const injection = injectionSettings(values);
  const { identity: uid, platformUrl } = values;
  if (uid !== undefined) {
    if (platformUrl === undefined)
      throw new settings.SettingsError(["--platform-url is required with --identity: the platform's base URL"]);
    const platform = withoutSlash(platformUrl);
    const { authUrl = platformUrl, apiAudience = platform } = values;
    const { subjectTokenAudience: audience = authUrl.hostname } = values;
    const exchangeUrl = `${withoutSlash(authUrl)}/sts/exchange`;
    const given = { uid, exchangeUrl, platformUrl: platform, audience, apiAudience };
    return { valuesOf: givenValues({ ...given, ...injection }), close: async () => {} };
  }
  const connection = await readConnection({
    env,
    clock: systemClock,
    userKubeconfig: true,
    ...(values.kubeconfig === undefined ? {} : { kubeconfig: values.kubeconfig }),
    ...(values.context === undefined ? {} : { context: values.context }),
  });
  const kube = new KubeClient({ connection, clock: systemClock });
  const namespace = values.namespace ?? connection.namespace ?? "default";
  return { valuesOf: valuesFromCluster(kube, namespace, injection, signal), close: () => kube.close() };
}

function injectionSettings(values: InjectValues): InjectionSettings {
  const { agentImage, agentRequest, agentLimit, agentEnv, platformCaConfigMap, platformCaKey } = values;
  const { requests, limits, caConfigMap } = defaultSettings;
  return {
    image: agentImage,
    requests: agentRequest.length === 0 ? requests : resources(agentRequest),
    limits: agentLimit.length === 0 ? limits : resources(agentLimit),
    env: agentEnv.map((text) => {
      const end = text.indexOf("=");
      return { name: text.slice(0, end), value: text.slice(end + 1) };
    }),
    caConfigMap: platformCaConfigMap ?? caConfigMap,
    caKey: platformCaKey,
  };
}

function resources(quantities: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(quantities.map((one) => one.split("=") as [string, string]));
}

function listed(quantities: Readonly<Record<string, string>>): string {
  return Object.entries(quantities)
    .map(([name, amount]) => `${name}=${amount}`)
    .join(", ");
}

/** The sum of many manifests, each of which has at most about 1 MiB. */
const maxFileBytes = 64 * 2 ** 20;

async function readManifests(path: string, { signal, stdin }: CommandContext): Promise<string> {
  const limits = { maxBytes: maxFileBytes, signal };
  try {
    return await (path === "-" ? readStream(stdin, limits) : readText(path, limits));
  } catch (error) {
    throw settings.readError("--file", path === "-" ? "standard input" : path, error);
  }
}

function withoutSlash(url: URL): string {
  return url.href.replace(/\/$/, "");
}

/** Files without a separator at their beginning need one between them. */
function joined(files: readonly string[]): string {
  return files
    .filter((text) => text.trim() !== "")
    .map((text) => (text.endsWith("\n") ? text : `${text}\n`))
    .reduce((before, text) => (before === "" || text.startsWith("---") ? before + text : `${before}---\n${text}`), "");
}
