import { readFileSync } from "node:fs";
import * as settings from "#src/commands/settings/settings.ts";

const uid = settings.matching(
  "UID",
  /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/,
  "a uid: 40 hex digits, then / and 16 hex digits for each level below",
);

const definitions = {
  url: settings.optional(settings.url, "the platform's address (required unless --list or --table is set)"),
  tokenFile: settings.optional(
    settings.file,
    "the file with the admin's token (required unless --list or --table is set)",
  ),
  root: settings.optional(
    uid,
    "the group in which the suite creates its own (default: the only root group that the admin sees)",
  ),
  grpc: settings.optional(
    settings.listenAddress,
    "the address of gRPC, with TLS if --url has it; without it, cases over gRPC are skipped",
  ),
  ca: settings.optional(settings.file, "PEM file with the certificate authorities to trust instead of the system's"),
  authUrl: settings.optional(settings.url, "the address of the token service (default: --url)"),
  audience: settings.optional(
    { ...settings.text, placeholder: "AUDIENCE" },
    "the audience of API tokens (default: --url)",
  ),
  vendor: settings.withDefault(
    { ...settings.text, placeholder: "NAME" },
    "muster",
    "the first segment of the gRPC package names",
  ),
  consistencyLag: settings.withDefault(settings.duration, "0s", "how long calls in a new group can fail with code 7"),
  parallel: settings.withDefault(settings.integer(1, 100), "4", "how many cases run at the same time"),
  case: settings.optional(
    { ...settings.text, placeholder: "PATTERN" },
    "run only the cases whose id or name matches; * matches any text",
  ),
  json: settings.optional(settings.file, "write the results to this file as one JSON object"),
  list: settings.toggle("list the cases and run none"),
  table: settings.optional(settings.file, "write the table of requirements and cases to this file and run none"),
};

/** The platform under test, and how to connect to it. No address ends in a slash. */
export interface Target {
  readonly url: string;
  readonly authUrl: string;
  readonly audience: string;
  readonly token: string;
  readonly root: string | undefined;
  readonly grpcUrl: string | undefined;
  readonly ca: string | undefined;
  readonly vendor: string;
  /** Milliseconds during which calls in a new group can fail with code 7. */
  readonly consistencyLag: number;
}

export interface Selection {
  readonly pattern: string | undefined;
}

/** What the command line asks for. */
export type Command =
  | { readonly kind: "help" }
  | ({ readonly kind: "list" } & Selection)
  | { readonly kind: "table"; readonly file: string }
  | ({
      readonly kind: "run";
      readonly target: Target;
      readonly parallel: number;
      readonly json: string | undefined;
    } & Selection);

/** @throws {SettingsError} listing every mistake */
export function readCommand(args: readonly string[]): Command {
  if (args.includes("--help") || args.includes("-h")) return { kind: "help" };
  const values = settings.readSettings(definitions, args, {});
  const { url, tokenFile, case: pattern, parallel, json } = values;
  if (values.list) return { kind: "list", pattern };
  if (values.table !== undefined) return { kind: "table", file: values.table };

  const mistakes: string[] = [];
  if (url === undefined) mistakes.push("--url is required: the platform's address");
  if (tokenFile === undefined) mistakes.push("--token-file is required: the file with the admin's token");
  const token = textOf("--token-file", tokenFile, mistakes)?.trim();
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    mistakes.push("--token-file: the file must contain exactly one token");
  const ca = textOf("--ca", values.ca, mistakes);
  if (mistakes.length > 0 || url === undefined || token === undefined) throw new settings.SettingsError(mistakes);

  const base = withoutSlash(url);
  const target: Target = {
    url: base,
    authUrl: values.authUrl === undefined ? base : withoutSlash(values.authUrl),
    audience: values.audience ?? base,
    token,
    root: values.root,
    grpcUrl: values.grpc === undefined ? undefined : grpcUrlOf(values.grpc, url),
    ca,
    vendor: values.vendor,
    consistencyLag: values.consistencyLag,
  };
  return { kind: "run", target, parallel, json, pattern };
}

export const usage = `Usage: npm run conformance -- --url URL --token-file FILE [--root UID] [--grpc HOST:PORT]

Tests a platform against the requirements of the contract. Exits with 0 if no case fails, and with 2
if a setting is wrong. Works in a group of its own
below the root, deletes it at the end, and only reads what is outside of it.

${Object.entries(definitions)
  .map(([key, { placeholder, help }]) => `  ${`${settings.flagOf(key)} ${placeholder}`.padEnd(26)} ${help}`)
  .join("\n")}
`;

function withoutSlash({ href }: URL): string {
  return href.replace(/\/+$/, "");
}

function textOf(flag: string, file: string | undefined, mistakes: string[]): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    mistakes.push(`${flag}: ${(error as Error).message}`);
    return undefined;
  }
}

/** The URL of gRPC, which uses TLS if REST does. */
function grpcUrlOf({ host, port }: settings.ListenAddress, { protocol }: URL): string {
  return `${protocol}//${host.includes(":") ? `[${host}]` : host}:${port}`;
}
