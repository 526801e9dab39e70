import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { Pool } from "undici";

/**
 * Measures the platform as a process of its own, over REST on loopback: calls per second, its CPU per call (read from
 * the kernel), and latency as the callers see it.
 * `npm run bench:platform -- --calls 9000 --callers 16`
 */
const { values } = parseArgs({
  options: { calls: { type: "string", default: "9000" }, callers: { type: "string", default: "16" } },
});
const calls = Number(values.calls);
const callers = Number(values.callers);

const folder = mkdtempSync(join(tmpdir(), "muster-bench-"));
const child = spawn(
  process.execPath,
  ["src/main.ts", "platform", "--data", join(folder, "data"), "--listen", "127.0.0.1:0"],
  { stdio: ["ignore", "inherit", "pipe"] },
);
const { address, rootGroup: root } = await listening();
const pool = new Pool(`http://${address}`, { connections: callers });
const admin = readFileSync(join(folder, "data.admin-token"), "utf8").trim();
type Json = Readonly<Record<string, string>> & { readonly roles: readonly { readonly uid: string }[] };

try {
  await measureAll();
} finally {
  await pool.close();
  child.kill("SIGTERM");
  await once(child, "exit");
  rmSync(folder, { recursive: true });
}

async function measureAll(): Promise<void> {
  const { uid: viewer = "" } = (await call("GET", "/iam/v2beta1/roles?name=viewer")).roles[0] ?? {};
  const groups: string[] = [];
  const identities: string[] = [];
  const made = async (into: string[], path: string, body: object) => {
    into.push((await call("POST", path, body))["uid"] ?? "");
  };
  const some = (uids: readonly string[], n: number) => uids[n % uids.length];

  await measure("create group", calls / 9, (n) => made(groups, `/iam/v2beta1/groups/${root}`, { name: `g-${n}` }));
  await measure("create identity", (calls * 4) / 9, (n) =>
    made(identities, `/iam/v2beta1/identities/${some(groups, n)}`, {
      name: `i-${n}`,
      claimMatch: { issuer: "https://issuer.example.com", subject: `system:serviceaccount:ns:${n}` },
    }),
  );
  await measure("create binding", (calls * 4) / 9, (n) =>
    made([], `/iam/v2beta1/roleBindings/${some(groups, n)}`, { identityUid: some(identities, n), roleUid: viewer }),
  );

  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const caller = await call("POST", `/iam/v2beta1/identities/${root}`, {
    name: "caller",
    staticKeys: {
      issuer: "https://issuer.example.com",
      subject: "caller",
      audiences: ["127.0.0.1"],
      issuerKeys: JSON.stringify({ keys: [await exportJWK(publicKey)] }),
    },
  });
  await call("POST", `/iam/v2beta1/roleBindings/${root}`, { identityUid: caller["uid"], roleUid: viewer });
  const incoming = await new SignJWT({ iss: "https://issuer.example.com", sub: "caller", aud: "127.0.0.1" })
    .setProtectedHeader({ alg: "ES256" })
    .setExpirationTime("1h")
    .sign(privateKey);
  const exchange = `/sts/exchange?aud=http://${address}&identity=${caller["uid"]}`;
  const { token = "" } = await call("GET", exchange, undefined, incoming);

  await measure("get", calls, (n) => call("GET", `/iam/v2beta1/identities/${some(identities, n)}`, undefined, token));
  for (const collection of ["identities", "roleBindings"])
    await measure(`page of 200 ${collection}`, 200, () =>
      call("GET", `/iam/v2beta1/${collection}?page_size=200&uidp.descendants_of=${root}`, undefined, token),
    );
  await measure("update group", calls / 9, (n) =>
    call("PATCH", `/iam/v2beta1/groups/${some(groups, n)}`, { description: `d ${n}` }),
  );
  await measure("exchange", calls / 9, () => call("GET", exchange, undefined, incoming));
  await measure("delete identity", identities.length, (n) =>
    call("DELETE", `/iam/v2beta1/identities/${some(identities, n)}`),
  );
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
  process.stdout.write(`memory ${Math.round(Number(rss) / 1024)} MiB\n`);
}

async function measure(label: string, count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  const [cpu, started] = [cpuMilliseconds(), performance.now()];
  const latencies: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const from = performance.now();
      await work(next++);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: callers }, worker));
  const perSecond = (latencies.length * 1_000) / (performance.now() - started);
  const each = (cpuMilliseconds() - cpu) / latencies.length;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1).padStart(6);
  process.stdout.write(
    `${label.padEnd(26)} ${perSecond.toFixed(0).padStart(6)}/s  cpu ${each.toFixed(3)} ms  p50 ${at(0.5)} ms  p99 ${at(0.99)} ms\n`,
  );
}

/** User and system time of the platform, from the kernel: ticks of 10 ms. */
function cpuMilliseconds(): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function call(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: object,
  token = admin,
): Promise<Json> {
  const answer = await pool.request({
    method,
    path,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
  return (text === "" ? {} : JSON.parse(text)) as Json;
}

async function listening(): Promise<{ address: string; rootGroup: string }> {
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
    const entry = JSON.parse(line) as { msg: string; address: string; rootGroup: string };
    if (entry.msg !== "listening") continue;
    child.stderr?.resume();
    return entry;
  }
  throw new Error("the platform ended before it listened");
}
