import * as settings from "#src/commands/settings/settings.ts";
import { uidPattern } from "#src/platform-client/uid.ts";

export const defaultTokenFile = "/var/run/muster/token/token";
export const defaultSubjectTokenFile = "/var/run/muster/source/token";

const uid = settings.matching("UID", uidPattern, "a uid: 40 hex digits, then / and 16 hex digits for each level below");

const help = {
  identity: "The uid of the identity to assume: status.uid of the Identity.",
  authUrl: "The address of the token service or of its exchange, such as status.exchange.url of the Identity.",
  apiAudience:
    "The audience of the token: the platform's base URL, which is status.exchange.apiAudience of the Identity.",
} as const;

const optionalSettings = {
  subjectTokenFile: settings.withDefault(
    settings.file,
    defaultSubjectTokenFile,
    "File with the token that Kubernetes or the CI system issued to the workload, which is exchanged; - is standard input.",
  ),
  platformCa: settings.optional(
    settings.file,
    "PEM file with the certificate authorities to trust for the token service, instead of the default ones.",
  ),
} as const;

/** What an exchange needs, except the audience. Injection sets the variables in a pod. */
export const exchangeSettings = {
  identity: settings.required(uid, help.identity),
  authUrl: settings.required(settings.url, help.authUrl),
  ...optionalSettings,
} as const;

export const apiAudience = settings.required(settings.text, help.apiAudience);

const registry = settings.matching(
  "HOST[:PORT]",
  /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+)(:\d{1,5})?$/,
  "the address of a registry, such as registry.example.com or registry.example.com:5000",
);

/** The registries that a credential helper gives a token for, and how. */
export const registries = {
  registry: settings.requiredList(registry, "A registry that accepts the platform's tokens."),
  username: settings.withDefault(settings.text, "_token", "The user name to send with the token."),
} as const;

/** For a command that can do without an exchange, because an agent has done it. */
export const optionalExchangeSettings = {
  identity: settings.optional(uid, help.identity),
  authUrl: settings.optional(settings.url, help.authUrl),
  apiAudience: settings.optional(settings.text, help.apiAudience),
  ...optionalSettings,
} as const;
