import { sendJson } from "#test/support/harness/send-json.ts";
import { ApiDocument } from "./api-document.ts";
import { fuzzBytes } from "./byte-fuzzing.ts";
import { Callers, type Send } from "./callers.ts";
import { fuzzDecoders } from "./decoder-fuzzing.ts";
import { finalViolations } from "./final-checks.ts";
import { Findings } from "./findings.ts";
import { Pool } from "./pool.ts";
import { fuzzRest } from "./rest-fuzzing.ts";
import type { RequestSources } from "./rest-request.ts";
import { fuzzRpc } from "./rpc-fuzzing.ts";

export interface FuzzRun {
  readonly url: string;
  readonly adminToken: string;
  /** The number of requests over REST, RPC and raw bytes together. */
  readonly requests: number;
  readonly seed: number;
  /** The time limit of each response in milliseconds. */
  readonly timeLimit: number;
  /** The errors in the platform's log, if it can be read. */
  readonly errorLog?: () => readonly string[];
  readonly progress: (line: string) => void;
}

export interface FuzzResult {
  readonly findings: Findings;
  /** The ids of operations that never succeeded: the code behind their validation was not reached. */
  readonly neverSucceeded: readonly string[];
  /** Counts by protocol: of HTTP statuses (0 for a closed connection) or gRPC codes (-1 for none). */
  readonly responses: Readonly<Record<string, ReadonlyMap<number, number>>>;
}

/** Sends random requests to a platform and checks the responses against the platform's contract. */
export async function fuzz(run: FuzzRun): Promise<FuzzResult> {
  const { url, seed, requests, timeLimit, progress } = run;
  const findings = new Findings(({ kind, number, subject, problem }) =>
    progress(`${kind} request ${number}: ${subject}: ${problem}`),
  );
  const send: Send = (method, path, body, token = run.adminToken) => sendJson({ url, token, method, path, body });
  const sources = await createSources(run, send);
  const part = (kind: string, share: number) => {
    const count = Math.floor(requests * share);
    const report = (done: number) => {
      if (done % 2_000 < 16) progress(`${kind}: ${done} of ${count} requests; findings: ${findings.count}`);
    };
    return { sources, url, seed, requests: count, timeLimit, findings, progress: report };
  };
  const rest = await fuzzRest(part("rest", 0.7));
  const rpc = await fuzzRpc(part("rpc", 0.27));
  const bytes = await fuzzBytes(part("bytes", 0.03));
  const rounds = Math.floor(requests / 10);
  progress(`decoders: ${rounds} rounds in this process`);
  fuzzDecoders({ seed, rounds, timeLimit: 2_000, findings });
  const finalProblems = await finalViolations(sources.document, send, url);
  for (const problem of [...finalProblems, ...(run.errorLog?.() ?? [])])
    findings.add({
      number: requests,
      kind: "final",
      subject: "the platform",
      problem,
      reproduction: "run the fuzzer again with this seed, and inspect the platform afterwards",
    });
  return {
    findings,
    neverSucceeded: [...rest.successes].filter(([, count]) => count === 0).map(([id]) => id),
    responses: { rest: rest.statuses, rpc, bytes },
  };
}

/** Reads the platform's OpenAPI document, and creates a group with identities to call as. */
async function createSources({ url, adminToken }: FuzzRun, send: Send): Promise<RequestSources> {
  const document = new ApiDocument(await send("GET", "/openapi.json"));
  const { groups } = await send("GET", "/iam/v2beta1/groups?uidp.in_root=true&order_by=created_at");
  const root = (groups as { readonly uid: string }[])[0]?.uid;
  if (root === undefined) throw new Error("this token cannot read a root group: use the administrator's token");
  const home = await send("POST", `/iam/v2beta1/groups/${root}`, { name: "fuzz" });
  const pool = new Pool(home["uid"] as string);
  const callers = await Callers.create(send, adminToken, pool.home, url);
  const { roles } = await send("GET", "/iam/v2beta1/roles?uidp.in_root=true");
  for (const { uid } of roles as { readonly uid: string }[]) pool.add("roles", uid);
  const { advisories } = await send("GET", "/vulnerabilities/v2beta1/advisories");
  for (const { uid } of advisories as { readonly uid: string }[]) pool.add("advisories", uid);
  return { document, pool, callers };
}
