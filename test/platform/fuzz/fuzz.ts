import { ApiDocument } from "./api-document.ts";
import { mistakesAfterwards } from "./final-checks.ts";
import { fuzzBytes } from "./byte-fuzzing.ts";
import { Callers, type Send } from "./callers.ts";
import { fuzzDecoders } from "./decoder-fuzzing.ts";
import { Findings } from "./findings.ts";
import { Pool } from "./pool.ts";
import { fuzzRest } from "./rest-fuzzing.ts";
import { fuzzRpc } from "./rpc-fuzzing.ts";

export interface FuzzRun {
  readonly url: string;
  readonly adminToken: string;
  /** Of REST, of RPC and of bare bytes together. */
  readonly requests: number;
  readonly seed: number;
  /** Milliseconds that an answer may take. */
  readonly timeLimit: number;
  /** What the platform's own log tells of failures, where it can be read. */
  readonly complaints?: readonly string[];
  readonly progress: (line: string) => void;
}

export interface FuzzResult {
  readonly findings: Findings;
  /** How many answers had which status, 0 where the connection ended; or which code of gRPC, -1 where there was none. */
  /** Operations of the document that never succeeded: what lies behind them was not reached. */
  readonly unreached: readonly string[];
  readonly answers: Readonly<Record<string, ReadonlyMap<number, number>>>;
}

/** Sends random requests to a platform and holds what it answers against its contract. */
export async function fuzz(run: FuzzRun): Promise<FuzzResult> {
  const { url, adminToken, seed, requests, timeLimit, progress } = run;
  const findings = new Findings(({ kind, number, about, what }) =>
    progress(`${kind} request ${number}: ${about}: ${what}`),
  );
  const send = sender(url, adminToken);
  const document = new ApiDocument(await send("GET", "/openapi.json"));
  const { groups } = await send("GET", "/iam/v2beta1/groups?uidp.in_root=true&order_by=created_at");
  const root = (groups as { readonly uid: string }[])[0]?.uid;
  if (root === undefined) throw new Error("the platform has no root group that this token sees");
  const home = await send("POST", `/iam/v2beta1/groups/${root}`, { name: "fuzz" });
  const pool = new Pool(home["uid"] as string);
  const callers = await Callers.make(send, adminToken, pool.home, url);
  const { roles } = await send("GET", "/iam/v2beta1/roles?uidp.in_root=true");
  for (const { uid } of roles as { readonly uid: string }[]) pool.add("roles", uid);
  const { advisories } = await send("GET", "/vulnerabilities/v2beta1/advisories");
  for (const { uid } of advisories as { readonly uid: string }[]) pool.add("advisories", uid);
  const part = (kind: string, share: number) => {
    const count = Math.floor(requests * share);
    const told = (done: number) => {
      if (done % 2_000 < 16) progress(`${kind}: ${done} of ${count} requests; findings: ${findings.count}`);
    };
    return { ground: { document, pool, callers }, url, seed, requests: count, timeLimit, findings, progress: told };
  };
  const rest = await fuzzRest(part("rest", 0.7));
  const rpc = await fuzzRpc(part("rpc", 0.27));
  const bytes = await fuzzBytes(part("bytes", 0.03));
  progress(`decoders: ${Math.floor(requests / 10)} rounds in this process`);
  fuzzDecoders({ seed, rounds: Math.floor(requests / 10), timeLimit: 2_000, findings });
  const afterwards = await mistakesAfterwards(document, send, url);
  for (const what of [...afterwards, ...(run.complaints ?? [])])
    findings.add({
      number: requests,
      kind: "afterwards",
      about: "the platform",
      what,
      how: "see the platform after the run",
    });
  return {
    findings,
    unreached: [...rest.successes].filter(([, count]) => count === 0).map(([id]) => id),
    answers: { rest: rest.statuses, rpc, bytes },
  };
}

function sender(url: string, adminToken: string): Send {
  return async (method, path, body, token = adminToken) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  };
}
