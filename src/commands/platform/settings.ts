import { readTextSync } from "#src/files/read-text.ts";
import { faultRuleForm, parseFaultRule } from "#src/platform/faults/fault-rule.ts";
import { tokenLimits } from "#src/platform/limits/token-limits.ts";
import { parseAddressRange } from "#src/platform/server/client-address.ts";
import { connectionBytes, memoryParts } from "#src/platform/server/memory-shares.ts";
import { parseOrigin } from "#src/platform/server/parse-origin.ts";
import { portLimits } from "#src/platform/server/port-limits.ts";
import type { StsEndpoint } from "#src/platform/tokens/aws-sts.ts";
import { rootGroupLimits } from "#src/platform/limits/root-group-limits.ts";
import { quotaLimits } from "#src/platform/limits/quota.ts";
import type { TrustedIssuer } from "#src/platform/tokens/trusted-issuer.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { issuerIn } from "./cluster-issuer.ts";
import { dataSettings } from "./data.ts";
import { isLoopback } from "./loopback.ts";

/** Calls per second, written as `50/s` or `600/m`. */
const callRate = {
  placeholder: "N/s",
  parse: (value: string): number => {
    const match = /^([1-9]\d{0,6})\/(s|m)$/.exec(value);
    if (match === null) throw new Error(`"${value}" is not a rate of calls, such as 50/s or 600/m`);
    return Number(match[1]) / (match[2] === "m" ? 60 : 1);
  },
};

/** Each key stays published until its last token has expired, so a short interval would publish a large number of keys. */
const keyInterval = settings.boundedDuration({ least: "1h" });

/** A token must be valid for some time, at most a year. */
const lifetime = settings.boundedDuration({ least: "1s", most: "8760h" });

const trustedIssuer = {
  placeholder: "ISSUER[,ca=FILE][,jwks=URL]",
  commas: true,
  parse: (value: string): TrustedIssuer => {
    const [issuer = "", ...options] = value.split(",");
    const given = new Map(options.map((option) => [option.split("=")[0], option.slice(option.indexOf("=") + 1)]));
    for (const name of given.keys())
      if (name !== "ca" && name !== "jwks")
        throw new Error(`"${name}" is not an option of an issuer; the options are ca=FILE and jwks=URL`);
    const caFile = given.get("ca");
    return {
      issuer: issuerUrl(issuerIn(issuer)),
      ca: caFile === undefined ? undefined : readTextSync(caFile),
      jwksUrl: given.has("jwks") ? httpsUrl(given.get("jwks") ?? "") : undefined,
    };
  },
};

const defaultSts = "https://sts.amazonaws.com";
const stsEndpoint = {
  placeholder: "URL[,ca=FILE]",
  commas: true,
  parse: (value: string): StsEndpoint => {
    const [url = "", ca, ...more] = value.split(",");
    if (more.length > 0 || (ca !== undefined && !ca.startsWith("ca=")))
      throw new Error(`"${value}" is not URL or URL,ca=FILE`);
    return {
      url: issuerUrl(url).replace(/\/$/, ""),
      ca: ca === undefined ? undefined : readTextSync(ca.slice("ca=".length)),
      privateAddresses: url !== defaultSts,
    };
  },
};

const webhookEndpoint = {
  placeholder: "URL[,ca=FILE]",
  commas: true,
  parse: (value: string): { readonly url: string; readonly ca: string | undefined } => {
    const [text = "", ca, ...more] = value.split(",");
    if (more.length > 0 || (ca !== undefined && !ca.startsWith("ca=")))
      throw new Error(`"${value}" is not URL or URL,ca=FILE`);
    const url = URL.parse(text);
    const isLocal = url?.protocol === "http:" && isLoopback(url.hostname);
    return {
      url: isLocal ? url.href : httpsUrl(text),
      ca: ca === undefined ? undefined : readTextSync(ca.slice("ca=".length)),
    };
  },
};

/** The URL as it is written, because an issuer is compared as text. */
function httpsUrl(value: string): string {
  const url = URL.parse(value);
  if (url?.protocol !== "https:") throw new Error(`"${value}" is not an https URL`);
  if (url.username !== "" || url.password !== "") throw new Error("must not contain a user name or password");
  if (value.includes("#")) throw new Error(`"${value}" must not have a fragment`);
  return value;
}

/** The URL of an issuer, to which discovery appends a path. */
function issuerUrl(value: string): string {
  if (value.includes("?")) throw new Error(`"${value}" must not have a query`);
  return httpsUrl(value);
}

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** The settings of `muster platform`. */
export const platformSettings = {
  ...dataSettings,
  databaseConnections: settings.withDefault(
    settings.integer(2, 1_000),
    "10",
    "The maximum number of connections from this replica to the database of --database.",
  ),
  listen: settings.withDefault(
    settings.listenAddress,
    "127.0.0.1:8080",
    "The address to serve. With port 0, any free port is used and logged.",
  ),
  healthListen: settings.optional(
    settings.listenAddress,
    "Also serve /livez, /readyz and /metrics at this address, over HTTP and with separate connections. At --listen, probes share the connections of their address with other clients, such as all that a node or a NAT forwards. Let only the kubelet and Prometheus reach it.",
  ),
  tlsCert: settings.optional(
    settings.file,
    "Serve only TLS, with this PEM file: the certificate, then its intermediate certificates. Reloaded when it changes.",
  ),
  tlsKey: settings.optional(settings.file, "PEM file with the private key of --tls-cert. Reloaded when it changes."),
  baseUrl: settings.optional(
    settings.url,
    "The address of the API as clients use it, which is the audience of API tokens. (default: the listen address, with http or https)",
  ),
  authUrl: settings.optional(
    settings.url,
    "The address of the token service as clients use it, which is the issuer of API tokens. (default: the base URL)",
  ),
  adminTokenFile: settings.optional(
    settings.file,
    "The file to which the first start writes the admin token, with mode 0600. (default: the --data file name with .admin-token appended; required with --database)",
  ),
  initFile: settings.optional(
    settings.file,
    "YAML or JSON file with what the first start creates: the name and uid of the root group, and identities that are bound there. If the database is not empty, the file is compared, differences are logged, and nothing is changed.",
  ),
  keyFile: settings.optional(
    settings.file,
    "The file with the key that encrypts secrets in the data. Created with mode 0600 if it is missing; all replicas need the same one. (default: the --data file name with .key appended; required with --database)",
  ),
  audience: settings.optionalList(
    settings.text,
    "An audience for which API tokens can be requested, in addition to the base URL.",
  ),
  corsOrigin: settings.optionalList(
    { placeholder: "ORIGIN", parse: parseOrigin },
    "An origin, such as https://console.example.com, whose pages may call the API from a browser: over REST, gRPC-web or Connect, with a token of their own and never with cookies. Without it, browsers keep the responses from pages of other origins. Name only origins that you trust: whoever can change a page there can use the tokens that people give to it.",
  ),
  refreshLifetime: settings.withDefault(
    lifetime,
    "24h",
    "The lifetime of refresh tokens, counted from the token exchange. Replacing a refresh token does not extend it.",
  ),
  loginLifetime: settings.withDefault(
    lifetime,
    "24h",
    "How long a person stays logged in. The API tokens of a login live for an hour and are renewed until then.",
  ),
  publicIssuer: settings.optionalList(
    { placeholder: "URL", parse: issuerUrl },
    "An issuer at which anybody can have an account, in addition to those that the platform knows. The first login of a person from there needs an invite.",
  ),
  maximumRefreshTokens: settings.withDefault(
    settings.integer(1, 100_000),
    String(tokenLimits.refreshTokens.value),
    "About how many valid refresh tokens an identity can have. When there are more, the oldest ones end.",
  ),
  signingKeyInterval: settings.withDefault(
    keyInterval,
    "720h",
    "How often the key that signs API tokens is rotated, at least 1h. The next key is published up to an hour before it is used.",
  ),
  trustedIssuer: settings.optionalList(
    trustedIssuer,
    "A token issuer that is allowed to have a private address, such as the issuer of a cluster, with the certificate authorities and the key set to use for it. ISSUER is its URL, or token:FILE for the issuer of the token in a file, such as a service-account token of the cluster.",
  ),
  awsSts: settings.withDefault(
    stsEndpoint,
    defaultSts,
    "Where to send the requests that AWS principals sign to assume an identity with awsIdentity, and the certificate authorities to use for it. An endpoint that is not AWS's may have a private address.",
  ),
  awsHeaderVendor: settings.withDefault(
    settings.matching("NAME", /^[A-Za-z][A-Za-z0-9-]{0,63}$/, "the first part of a header, such as Acme"),
    "Muster",
    "The first part of the headers NAME-Audience and NAME-Identity, which AWS principals sign in such a request.",
  ),
  errorDomain: settings.withDefault(settings.text, "iam.muster.dev", "The domain in the ErrorInfo detail of errors."),
  vendorAlias: settings.optional(
    settings.matching("NAME", /^[a-z][a-z0-9_]*$/, "the first segment of a package name, such as acme"),
    "Serve gRPC also under NAME.platform, for clients of another vendor's platform with the same API.",
  ),
  uniqueNames: settings.toggle("Reject a name that a sibling already has, and a duplicate role binding."),
  consistencyLag: settings.withDefault(
    settings.duration,
    "0s",
    "For this long after a group is created, reject calls for its children with PERMISSION_DENIED, as a distributed platform may.",
  ),
  unknownFields: settings.withDefault(
    settings.oneOf("refuse", "ignore"),
    "refuse",
    "Whether to reject or ignore unknown fields in requests.",
  ),
  deleteAnswer: settings.withDefault(
    settings.oneOf("nothing", "object"),
    "nothing",
    "The response body of a successful DELETE over REST: none, or {}.",
  ),
  unknownCapabilities: settings.withDefault(
    settings.oneOf("refuse", "admin"),
    "refuse",
    "Whether the admin may put capabilities that this platform does not know into roles, as numbers. They are kept and grant nothing.",
  ),
  maximumResources: settings.withDefault(
    settings.integer(1, 2 ** 31 - 1),
    String(quotaLimits.resources.value),
    "The maximum number of resources below a root group, unless its resourceLimits have the key resources.",
  ),
  maximumRoleBindings: settings.withDefault(
    settings.integer(1, 2 ** 31 - 1),
    String(quotaLimits.roleBindingsPerIdentity.value),
    "The maximum number of role bindings of an identity, unless the resourceLimits of a group above it have the key roleBindingsPerIdentity.",
  ),
  maximumAuditBytes: settings.withDefault(
    settings.integer(1_000, 2 ** 40),
    String(quotaLimits.auditBytes.value),
    "How many bytes of audit records with old and new values the changes in a root group may write in a day (UTC). Above that, changes are recorded in short form, and repeats of one author on one resource within a minute as one record. Above one and a half times as many, all changes but deletions are rejected with RESOURCE_EXHAUSTED. Changes by admins are never rejected.",
  ),
  rootGroupCreators: settings.withDefault(
    settings.oneOf("admin", "anyone"),
    "admin",
    `Who is allowed to create root groups. With "anyone", an identity can create ${rootGroupLimits.ofCreator.value} a day, and all identities of a root group ${rootGroupLimits.ofRootGroup.value}.`,
  ),
  maximumInFlight: settings.withDefault(
    settings.integer(1, 100_000),
    "1000",
    "The maximum number of concurrent API calls. Further ones are rejected with RESOURCE_EXHAUSTED and Retry-After. One identity can use two thirds of it, and one root group four fifths; less if others are busy too.",
  ),
  maximumConnections: settings.optional(
    settings.integer(10, 100_000),
    `The maximum number of open connections. Further ones are closed. One address can have two thirds of them, or less if others have many; all --trusted-proxy together can have 15/16 of them. (default: what fits into 1/${memoryParts} of the memory that the process may use, at ${connectionBytes.tls / kibibyte} KiB for a connection with TLS and ${connectionBytes.plain / kibibyte} KiB for one without, and into half of the files that it may open; at most ${portLimits.connections})`,
  ),
  requestMemory: settings.optional(
    { ...settings.integer(8, 65_536), placeholder: "MIB" },
    `The maximum memory for open requests, in MiB. Each counts 32 KiB, its body and a response of 16 KiB or more, from its headers to the end of its response. Further requests are rejected with RESOURCE_EXHAUSTED. One address can use two thirds of it, or less if others are busy too. (default: 1/${memoryParts} of the memory that the process may use, at most ${portLimits.requestMemory / mebibyte})`,
  ),
  trustedProxy: settings.optionalList(
    { placeholder: "CIDR", parse: parseAddressRange },
    "The range of addresses of a load balancer or proxy, such as 10.0.0.0/8, whose Forwarded or X-Forwarded-For header names the address of the client. Without it, all clients behind a proxy share the limits of one address, for what is not authenticated.",
  ),
  maximumIssuerRequests: settings.withDefault(
    settings.integer(1, 10_000),
    String(tokenLimits.issuerRequests.value),
    "The maximum number of token issuers that are asked for their keys at a time. The identities below one root group can use four fifths of it; less if others are busy too. Further exchanges that need it are rejected with UNAVAILABLE.",
  ),
  rateLimit: settings.optional(
    callRate,
    "The rate of calls that each identity can make, such as 50/s or 600/m. Further ones are rejected with RESOURCE_EXHAUSTED and Retry-After. (default: unlimited)",
  ),
  auditRetention: settings.optional(
    { ...settings.integer(1, 36_500), placeholder: "DAYS" },
    "Delete audit records that are older than this number of days. (default: keep all records)",
  ),
  maximumAuditEvents: settings.withDefault(
    settings.integer(1_000, 100_000_000),
    "1000000",
    "How many audit events to keep: token exchanges, refused calls and uses of admin tokens. The oldest ones are deleted. Records of changes do not count.",
  ),
  auditWebhook: settings.optional(
    webhookEndpoint,
    "Send the audit log to this URL, in order and at least once, and the certificate authorities to use for it. It must be https, or http to loopback. It may have a private address.",
  ),
  auditWebhookSecretFile: settings.optional(
    settings.file,
    "The file with the secret that requests to --audit-webhook are signed with: at least 32 characters in a line. With a second line, they are signed with both secrets. Read again for each request.",
  ),
  drainDelay: settings.withDefault(
    settings.duration,
    "0s",
    "Keep serving, unready, for this long after SIGTERM, so that load balancers drain.",
  ),
  fault: settings.optionalList(
    { placeholder: "RULE", commas: true, parse: parseFaultRule },
    `For tests: inject faults into calls by a rule, ${faultRuleForm}. The method is the end of a method's name, where * matches any text, such as GroupsService/*. With "applied", the fault occurs after the change was made.`,
  ),
  faultInjection: settings.toggle(
    "For tests: let the admin list, add and delete fault rules at run time, with GET, POST and DELETE on /faults.",
  ),
  latency: settings.withDefault(settings.duration, "0ms", "For tests: delay each response of the API by this long."),
  logLevel: settings.withDefault(
    settings.oneOf("debug", "info", "warn", "error"),
    "info",
    "The minimum level of log lines. At debug, each call is logged.",
  ),
};
