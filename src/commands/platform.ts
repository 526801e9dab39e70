import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { createLog } from "#src/telemetry/log.ts";
import { faultRuleForm, parseFaultRule } from "#src/platform/faults/fault-rule.ts";
import { startPlatform } from "#src/platform/platform.ts";
import type { PlatformSettings } from "#src/platform/service/platform-settings.ts";
import { TlsFiles } from "#src/platform/server/tls-files.ts";
import { readOrCreateKeyFile } from "#src/platform/tokens/key-file.ts";
import type { TrustedIssuer } from "#src/platform/tokens/trusted-issuer.ts";
import { defineCommand } from "./command.ts";
import { dataPlace, dataSettings, fileBeside, openStore } from "./platform-data.ts";
import * as settings from "./settings.ts";

const day = 24 * 3_600_000;

/** Calls a second, written as `50/s` or `600/m`. */
const callRate = {
  placeholder: "N/s",
  parse: (value: string): number => {
    const match = /^([1-9]\d{0,6})\/(s|m)$/.exec(value);
    if (match === null) throw new Error(`"${value}" is not a number of calls in a time, such as 50/s or 600/m`);
    return Number(match[1]) / (match[2] === "m" ? 60 : 1);
  },
};

export default defineCommand({
  summary: "serve the platform that the operator drives",
  settings: {
    ...dataSettings,
    databaseConnections: settings.withDefault(
      settings.integer(2, 1_000),
      "10",
      "connections that this replica holds to the database of --database at most",
    ),
    listen: settings.withDefault(
      settings.listenAddress,
      "127.0.0.1:8080",
      "where to answer; port 0 takes any free one, which the log tells",
    ),
    tlsCert: settings.optional(
      settings.file,
      "serve over TLS alone, with this certificate and those that vouch for it, in PEM; read again when it changes",
    ),
    tlsKey: settings.optional(settings.file, "the key of --tls-cert, in PEM; read again when it changes"),
    baseUrl: settings.optional(
      settings.url,
      "the address of the API as clients know it, the audience of API tokens (default: http:// or https:// and the listen address)",
    ),
    authUrl: settings.optional(
      settings.url,
      "the address of the token service as clients know it, the issuer of API tokens (default: the base URL)",
    ),
    adminTokenFile: settings.optional(
      settings.file,
      "where the first start writes the admin token, mode 0600 (default: the file of --data with .admin-token; required with --database)",
    ),
    keyFile: settings.optional(
      settings.file,
      "the key that seals secrets in the data; made where there is none, mode 0600; all replicas need the same (default: the file of --data with .key; required with --database)",
    ),
    audience: settings.optionalList(settings.text, "an audience, beside the base URL, that API tokens may be made for"),
    refreshLifetime: settings.withDefault(
      settings.duration,
      "24h",
      "after this long the refresh tokens of an exchange end, however often they were used",
    ),
    signingKeyInterval: settings.withDefault(
      { ...settings.duration, parse: keyInterval },
      "720h",
      "how often the key that signs API tokens is replaced, from 1h; the next one is published up to an hour before it is used",
    ),
    trustedIssuer: settings.optionalList(
      trustedIssuer(),
      "an issuer of tokens that may have a private address, such as a cluster's own: URL[,ca=FILE][,jwks=URL]",
    ),
    errorDomain: settings.withDefault(settings.text, "iam.muster.dev", "the domain in the details of errors"),
    vendorAlias: settings.optional(
      settings.matching("NAME", /^[a-z][a-z0-9_]*$/, "the first part of a package name, such as acme"),
      "serve gRPC under NAME.platform too, for clients that know the same API by another vendor",
    ),
    uniqueNames: settings.toggle("refuse a name that a sibling has, and a role binding that exists"),
    consistencyLag: settings.withDefault(
      settings.duration,
      "0s",
      "answer calls about a new group's children with code 7 for this long, as a distributed platform may",
    ),
    unknownFields: settings.withDefault(
      settings.oneOf("refuse", "ignore"),
      "refuse",
      "what happens to a field of a request that the contract does not have",
    ),
    deleteAnswer: settings.withDefault(
      settings.oneOf("nothing", "object"),
      "nothing",
      "what a successful DELETE answers: no body, or {}",
    ),
    rootGroupCreators: settings.withDefault(settings.oneOf("admin", "anyone"), "admin", "who may make root groups"),
    maximumInFlight: settings.withDefault(
      settings.integer(1, 100_000),
      "1000",
      "calls of the API that are worked on at once; more are answered with code 8 and Retry-After",
    ),
    rateLimit: settings.optional(
      callRate,
      "calls that each identity may make, as 50/s or 600/m; more are answered with code 8 and Retry-After (default: any number)",
    ),
    auditRetention: settings.optional(
      { ...settings.integer(1, 36_500), placeholder: "DAYS" },
      "delete records of the audit log that are older than so many days (default: keep them for ever)",
    ),
    drainDelay: settings.withDefault(
      settings.duration,
      "0s",
      "stay up for this long after the signal to stop, not ready, until no load balancer sends calls any more",
    ),
    fault: settings.optionalList(
      { placeholder: "RULE", commas: true, parse: parseFaultRule },
      `for tests: let calls fail by a rule, ${faultRuleForm}; method is the end of a method's name, where * is any text, such as GroupsService/*; applied: behind the work`,
    ),
    faultInjection: settings.toggle(
      "for tests: let the admin list, add and clear faults at run time, by GET, POST and DELETE of /faults",
    ),
    latency: settings.withDefault(settings.duration, "0ms", "let each answer of the API wait this long: for tests"),
    logLevel: settings.withDefault(
      settings.oneOf("debug", "info", "warn", "error"),
      "info",
      "what is logged; debug has a line for each call",
    ),
  },
  run: async (values, { signal }) => {
    const place = dataPlace(values);
    const adminTokenFile = fileBeside(place, "admin-token", values.adminTokenFile);
    const keyFile = fileBeside(place, "key", values.keyFile);
    const log = createLog({ level: values.logLevel });
    const settingsAt = (url: string): PlatformSettings => {
      const baseUrl = withoutSlash(values.baseUrl?.href ?? url);
      return {
        baseUrl,
        authUrl: withoutSlash(values.authUrl?.href ?? baseUrl),
        audiences: values.audience,
        refreshLifetime: values.refreshLifetime,
        trustedIssuers: values.trustedIssuer,
        errorDomain: values.errorDomain,
        vendorAlias: values.vendorAlias,
        uniqueNames: values.uniqueNames,
        consistencyLag: values.consistencyLag,
        unknownFields: values.unknownFields,
        deleteResponse: values.deleteAnswer,
        rootGroupCreators: values.rootGroupCreators,
      };
    };
    const platform = await startPlatform({
      database: await openStore(place, values.databaseConnections),
      masterKey: readOrCreateKeyFile(keyFile),
      clock: Date.now,
      log,
      listen: { ...values.listen, tls: tlsFiles(values.tlsCert, values.tlsKey, log) },
      adminTokenFile,
      latency: values.latency,
      maximumInFlight: values.maximumInFlight,
      signingKeyInterval: values.signingKeyInterval,
      rateLimit: values.rateLimit,
      faults: values.fault,
      faultInjection: values.faultInjection,
      drainDelay: values.drainDelay,
      auditRetention: values.auditRetention === undefined ? undefined : values.auditRetention * day,
      settings: settingsAt,
    });
    const { baseUrl, authUrl } = platform.settings;
    log.info({ address: platform.address, baseUrl, authUrl, rootGroup: platform.rootGroup }, "listening");
    await stopped(signal);
    log.info("stopping: answering what runs");
    await platform.close();
    log.info("stopped");
  },
});

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function tlsFiles(certificate: string | undefined, key: string | undefined, log: Logger): TlsFiles | undefined {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw new settings.SettingsError(["--tls-cert and --tls-key belong together: give both, or neither"]);
  return new TlsFiles({ certificate, key }, log);
}

/** Each key is published for as long as its tokens hold, and longer: very many would be, if they came very fast. */
function keyInterval(value: string): number {
  const interval = settings.duration.parse(value);
  if (interval < 3_600_000) throw new Error(`"${value}" is shorter than 1h`);
  return interval;
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}

/** `URL[,ca=FILE][,jwks=URL]` */
function trustedIssuer() {
  return {
    placeholder: "URL[,ca=FILE][,jwks=URL]",
    commas: true,
    parse: (value: string): TrustedIssuer => {
      const [issuer = "", ...options] = value.split(",");
      const given = new Map(options.map((option) => [option.split("=")[0], option.slice(option.indexOf("=") + 1)]));
      for (const name of given.keys())
        if (name !== "ca" && name !== "jwks") throw new Error(`"${name}" is none of ca=FILE, jwks=URL`);
      const caFile = given.get("ca");
      return {
        issuer: httpsUrl(issuer),
        ca: caFile === undefined ? undefined : readFileSync(caFile, "utf8"),
        jwksUrl: given.has("jwks") ? httpsUrl(given.get("jwks") ?? "") : undefined,
      };
    },
  };
}

function httpsUrl(value: string): string {
  if (URL.parse(value)?.protocol !== "https:") throw new Error(`"${value}" is not an https URL`);
  return value;
}
