// Writes docs/reference/limits.md from the constants in the code. With --check it writes nothing, and fails if the file is
// out of date.
import { readFileSync } from "node:fs";
import { maxDescriptionLength } from "#src/kinds/marker.ts";
import { descriptionRule, nameRule, subjectRule, uidRule } from "#src/platform/contract/text-rule.ts";
import type { Limit } from "#src/platform/limits/limit.ts";
import { loginLimits } from "#src/platform/limits/login-limits.ts";
import { tokenLimits } from "#src/platform/limits/token-limits.ts";
import { rootGroupLimits } from "#src/platform/limits/root-group-limits.ts";
import { quotaLimits } from "#src/platform/limits/quota.ts";
import { sizeLimits } from "#src/platform/limits/size-limits.ts";
import { issuerTimes } from "#src/platform/tokens/issuer-times.ts";
import { hours, minutes } from "#src/time/durations.ts";
import { connectionBytes, connectionsThatFit, memoryParts } from "#src/platform/server/memory-shares.ts";
import { portLimits } from "#src/platform/server/port-limits.ts";
import { writeGenerated } from "./generated-files.ts";

/** A constant that its file does not export. @throws {Error} if the file does not define it as a product of numbers */
function constant(file: string, name: string): number {
  const text = readFileSync(file, "utf8");
  const [, product] = new RegExp(`\\b${name}(?: =|:) ([\\d_* ]+)[;,]`).exec(text) ?? [];
  if (product === undefined) throw new Error(`${file} does not define ${name} as a product of numbers`);
  return product.split("*").reduce((result, factor) => result * Number(factor.trim().replaceAll("_", "")), 1);
}

const number = (value: number) => String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
const bytes = (value: number) => (value >= 1024 * 1024 ? `${value / 1024 / 1024} MiB` : `${value / 1024} KiB`);

/** A limit of the table in `src/platform/limits/`. */
function rowOf({ what, value, unit, setting }: Limit): readonly [what: string, limit: string] {
  const amount = unit === "bytes" ? bytes(value) : unit === "items" ? number(value) : `${number(value)} ${unit}`;
  return [what, setting === undefined ? amount : `${amount} (\`${setting}\`)`];
}

const time = (milliseconds: number) => {
  if (milliseconds >= hours(1)) return `${milliseconds / hours(1)} h`;
  return milliseconds > minutes(2) ? `${milliseconds / minutes(1)} min` : `${milliseconds / 1_000} s`;
};
const levels = ((uidRule.maxLength ?? 0) - 40) / 17;
const markerLength = 35;
const describedIn512 = String(descriptionRule.pattern).includes(`{0,${maxDescriptionLength}}`);
if (!describedIn512) throw new Error("the operator and the platform differ in the length of a description");

const operator: readonly (readonly [what: string, limit: string])[] = [
  ["A description, without the marker", `${maxDescriptionLength - markerLength} characters`],
  ["Items of a list in a Tenant", number(constant("src/api/tenant.ts", "maxItems"))],
  ["Claims of a `claimMatch`", number(constant("src/api/claim-match.ts", "maxClaims"))],
  ["Levels of groups below a root group", number(levels)],
  [
    "Resources of one kind in one list of the platform",
    number(constant("src/platform-client/list-all.ts", "maxResources")),
  ],
  ["A response of the platform", bytes(constant("src/platform-client/transport.ts", "maxResponseBytes"))],
  ["A response of the API server", bytes(constant("src/kube/transport.ts", "maxResponseBytes"))],
  ["Objects in one page of a list in Kubernetes", number(constant("src/kube/list-pages.ts", "pageLimit"))],
  ["Steps of one reconcile", number(constant("src/reconcile/reconciler.ts", "maxSteps"))],
  ["The text of an Event", `${number(constant("src/kube/event.ts", "maxNoteBytes"))} bytes`],
];

const platform: readonly (readonly [what: string, limit: string])[] = [
  ["A name", `${number(nameRule.maxLength ?? 0)} characters of \`a-z 0-9 . _ -\` and space`],
  ["A description, with the marker", `${maxDescriptionLength} characters, one line`],
  ["The subject of an identity", `${number(subjectRule.maxLength ?? 0)} characters`],
  ["Levels of groups below a root group", number(levels)],
  ["A request", bytes(portLimits.bodyBytes)],
  ["The headers of a request", bytes(portLimits.headerBytes)],
  ["The time to send the headers of a request", time(portLimits.headersTime)],
  ["The time to send the body of a request", time(portLimits.bodyTime)],
  ["The time from the headers of a call to the end of its response", time(portLimits.callTime)],
  [
    `Open requests (\`--request-memory\`): for each, ${bytes(portLimits.headerBytes)}, its body and its response`,
    `1/${memoryParts} of the memory that the process may use, and ${bytes(portLimits.requestMemory)}`,
  ],
  [
    "Connections (`--maximum-connections`)",
    `what fits into 1/${memoryParts} of the memory that the process may use, ${bytes(connectionBytes.tls)} each with TLS and ${bytes(connectionBytes.plain)} without, and into half of the files that it may open; ${number(portLimits.connections)}`,
  ],
  [
    "Connections in their TLS handshake, or before their first bytes",
    `half of the connections, and ${number(portLimits.openings)}; ${time(portLimits.openingTime)} each`,
  ],
  [
    "Requests of an HTTP/1.1 connection whose responses have not been sent; a connection with more is closed",
    number(portLimits.pipelinedRequests),
  ],
  ["Concurrent streams of an HTTP/2 connection", number(portLimits.streams)],
  [
    "Requests of an HTTP/2 connection that are refused because too many are open; then the connection is closed",
    number(portLimits.refusedRequests),
  ],
  ["Streaming calls: health Watch and server reflection", number(portLimits.streamingCalls)],
  ["Resources in one page of a list", number(constant("src/platform/handlers/page-request.ts", "maximumPageSize"))],
  ["A token that is exchanged", bytes(constant("src/platform/tokens/subject-token.ts", "maximumLength"))],
  ["Keys of an issuer", number(constant("src/platform/tokens/jwks.ts", "maximumKeys"))],
  ["How long known keys of an issuer are used", time(issuerTimes.fresh)],
  ["How long they are used while the issuer is unavailable", time(issuerTimes.maximum)],
  ["The key set of an issuer", bytes(constant("src/platform/tokens/fetch-document.ts", "maximumBytes"))],
  ["Identities in an init file", number(constant("src/platform/init-file.ts", "maximumIdentities"))],
  ["A document of `muster platform load`", bytes(constant("src/platform/load/document-text.ts", "maximumDocument"))],
  ["Rules for faults", number(constant("src/platform/rest/faults-handler.ts", "maximumRules"))],
  ...Object.values<Limit>(quotaLimits).map(rowOf),
  ...Object.values<Limit>(rootGroupLimits).map(rowOf),
  ...Object.values<Limit>(sizeLimits).map(rowOf),
  ...Object.values<Limit>(tokenLimits).map(rowOf),
  ...Object.values<Limit>(loginLimits).map(rowOf),
];

const parts = constant("src/commands/reader/read-budget.ts", "heapParts");
const commands: readonly (readonly [what: string, limit: string])[] = [
  [
    "What `access`, `plan`, `import`, `why` and `doctor` read of the platform and the cluster, in memory",
    `1/${parts} of the heap of Node.js`,
  ],
  [
    "Objects of the cluster, and resources of the platform, that `access` and `plan` read",
    `${number(constant("src/commands/reader/object-limit.ts", "defaultMaxObjects"))} each (\`--max-objects\`)`,
  ],
  ["Manifests of `plan`", `${number(constant("src/commands/plan/read-manifests.ts", "maxObjects"))} objects`],
  ["Manifests of `plan`, as text", bytes(constant("src/commands/plan/read-manifests.ts", "maxBytes"))],
  ["Nesting levels of a manifest", number(constant("src/commands/plan/parse-documents.ts", "maxDepth"))],
  [
    "Symbols in one document of YAML: names, values, punctuation and white space; JSON has no such limit",
    number(constant("src/commands/plan/parse-documents.ts", "defaultSymbols")),
  ],
  ["What `kubectl kustomize` prints", bytes(constant("src/commands/plan/kustomize.ts", "maxBytes"))],
  ["A file with settings, keys, certificates or a token", bytes(constant("src/files/read-text.ts", "defaultBytes"))],
];

const measured =
  "with TLS 77 KiB before its first request, 87 KiB after one over HTTP/1.1 and 98 KiB over HTTP/2, and 74 KiB in its handshake; without TLS 9 KiB before its first byte, and about 47 KiB after it";

/** What `npm run bench -- connections` measured, and what follows from it. */
function connectionMemory(): string {
  const fitting = ([mebibytes, protocol]: readonly [number, keyof typeof connectionBytes]) =>
    number(connectionsThatFit({ memory: mebibytes * 1024 * 1024, openFiles: Infinity }, protocol));
  const sizes = [256, 512, 1_024].map(
    (mebibytes) => `${fitting([mebibytes, "tls"])} or ${fitting([mebibytes, "plain"])} with ${number(mebibytes)} MiB`,
  );
  return `The memory that the process may use is that of its cgroup, which is the memory limit of a container, or that of the machine. \`npm run bench -- connections\` measures what a connection without a running request takes of it (on Node.js 24, x64): ${measured}. The platform counts more, since a request can be on its way, and the kernel has buffers, too. So there can be ${sizes.join(", ")} (with TLS or without), and the log line \`listening\` says how many (\`maximumConnections\`). One address has at most two thirds of them.`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  return ["| what | at most |", "|---|---|", ...rows.map(([what, limit]) => `| ${what} | ${limit} |`)].join("\n");
}

const page = [
  "# Limits",
  "For **platform engineers**: plan a large installation, or find the limit that you met.",
  "Generated from the constants in `src/` by `npm run generate`. Do not edit.",
  "The limits of fields are in [custom resources](resources.md). Limits that are settings, such as `--workers` and `--maximum-in-flight`, are in [commands](cli.md). What was measured with many objects is in [performance](../performance.md).",
  "## The operator",
  table(operator),
  "## Commands",
  "On a machine with 24 GiB of memory, Node.js 24 has a heap of 4.2 GiB; with less memory, a smaller one. `NODE_OPTIONS=--max-old-space-size=8192` gives a command 8 GiB. At 90,000 objects, `muster plan` took 638 MiB, and `muster access who-can` 221 MiB.",
  table(commands),
  "## The platform",
  "Another implementation of the API can have other limits.",
  connectionMemory(),
  table(platform),
];

await writeGenerated("the limits", new Map([["docs/reference/limits.md", `${page.join("\n\n")}\n`]]));
