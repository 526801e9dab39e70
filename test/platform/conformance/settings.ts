import { readFileSync } from "node:fs";
import * as settings from "#src/commands/settings/settings.ts";

const uid = settings.matching(
  "UID",
  /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/,
  "a uid: 40 hex digits, then / and 16 hex digits for each step down",
);

const definitions = {
  url: settings.optional(settings.url, "the platform's address (required, but for --list and --table)"),
  tokenFile: settings.optional(settings.file, "the file with the admin's token (required, but for --list and --table)"),
  root: settings.optional(
    uid,
    "the group below which the suite works (default: the one root group that the admin sees)",
  ),
  grpc: settings.optional(
    settings.listenAddress,
    "where gRPC is, with TLS where --url has it; without it, cases over gRPC are skipped",
  ),
  ca: settings.optional(settings.file, "PEM file with the authorities to trust, instead of the system's own"),
  authUrl: settings.optional(settings.url, "the address of the token service (default: --url)"),
  audience: settings.optional(
    { ...settings.text, placeholder: "AUDIENCE" },
    "the audience of API tokens (default: --url)",
  ),
  vendor: settings.withDefault(
    { ...settings.text, placeholder: "NAME" },
    "muster",
    "the first part of the names of gRPC's packages",
  ),
  consistencyLag: settings.withDefault(
    settings.duration,
    "0s",
    "for how long a new group may answer 7 for its children",
  ),
  parallel: settings.withDefault(settings.integer(1, 100), "4", "how many cases run at once"),
  case: settings.optional(
    { ...settings.text, placeholder: "PATTERN" },
    "run those cases alone whose id or name matches; * is any text",
  ),
  json: settings.optional(settings.file, "write the results there, as one JSON object"),
  list: settings.toggle("list the cases, and run none"),
  table: settings.optional(settings.file, "write the table of sentences and their cases there, and run none"),
};

/** Where the platform is that is tried, and how it is spoken to. */
export interface Target {
  /** Without a slash at its end, as are the others. */
  readonly url: string;
  readonly authUrl: string;
  readonly audience: string;
  readonly token: string;
  readonly root: string | undefined;
  readonly grpcUrl: string | undefined;
  readonly ca: string | undefined;
  readonly vendor: string;
  /** Milliseconds for which a new group's children may be answered with code 7. */
  readonly consistencyLag: number;
}

export interface Selection {
  readonly pattern: string | undefined;
}

/** What the command shall do. */
export type Order =
  | { readonly kind: "help" }
  | ({ readonly kind: "list" } & Selection)
  | { readonly kind: "table"; readonly file: string }
  | ({
      readonly kind: "run";
      readonly target: Target;
      readonly parallel: number;
      readonly json: string | undefined;
    } & Selection);

/** @throws {SettingsError} with every mistake at once */
export function readOrder(args: readonly string[]): Order {
  if (args.includes("--help")) return { kind: "help" };
  const values = settings.readSettings(definitions, args, {});
  const { url, tokenFile, case: pattern, parallel, json } = values;
  if (values.list) return { kind: "list", pattern };
  if (values.table !== undefined) return { kind: "table", file: values.table };

  const mistakes: string[] = [];
  if (url === undefined) mistakes.push("--url is required: the platform's address");
  if (tokenFile === undefined) mistakes.push("--token-file is required: the file with the admin's token");
  const token = textOf("--token-file", tokenFile, mistakes)?.trim();
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    mistakes.push("--token-file: the file does not hold one token");
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

export const usage = `npm run conformance -- --url URL --token-file FILE [--root UID] [--grpc HOST:PORT]

Tries a platform against each sentence of the contract, and ends with 0 where all of them hold. It works in a group of
its own below the root, and deletes it at the end; what is outside of it is read alone.

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

/** gRPC has TLS where REST has it. */
function grpcUrlOf({ host, port }: settings.ListenAddress, { protocol }: URL): string {
  return `${protocol}//${host.includes(":") ? `[${host}]` : host}:${port}`;
}
