import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { KubeApi } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import { identifyCluster } from "./cluster.ts";

const call = "get namespaces";
const away = KubeError.noResponse(call, "connect ECONNREFUSED");
const kubeSystem = { apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system", uid: "uid-1" } };

let folder: string;
let tokenFile: string;
let clock: ManualClock;
let errors: unknown[];
let abort: AbortController;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-cluster-"));
  tokenFile = join(folder, "token");
  const claims = Buffer.from(JSON.stringify({ iss: "https://issuer.example" })).toString("base64url");
  await writeFile(tokenFile, `header.${claims}.signature`);
  clock = new ManualClock();
  errors = [];
  abort = new AbortController();
});
afterEach(() => rm(folder, { recursive: true }));

/** Identifies the cluster of an API server that gives one response after the other; the last one is repeated. */
function identify(...responses: readonly unknown[]) {
  let calls = 0;
  const get = async () => {
    const response = responses[Math.min(calls++, responses.length - 1)];
    if (response instanceof Error) throw response;
    return response;
  };
  const kube = { get: get as KubeApi["get"] };
  const options = { clock, random: () => 0, onError: (error: unknown) => errors.push(error) };
  return identifyCluster({ ownerId: undefined, tokenFile }, kube, options, abort.signal);
}

test("waits until the API server is back", async () => {
  const unavailable = new KubeError({ call, code: 503, reason: "ServiceUnavailable" }, "starting");
  const identified = identify(away, unavailable, { metadata: {} }, kubeSystem);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await settled();
    expect(errors).toHaveLength(attempt);
    await clock.advance(1_000);
  }
  expect(await identified).toEqual({ ownerId: "uid-1", serviceAccountIssuer: "https://issuer.example" });
});

test.each([
  [403, "Forbidden"],
  [404, "NotFound"],
])("%d needs a person: it is thrown", async (code, reason) => {
  const refused = new KubeError({ call, code, reason }, "no");
  await expect(identify(refused)).rejects.toBe(refused);
  expect(errors).toEqual([]);
});

test("stops waiting when the process is to end", async () => {
  const identified = identify(away);
  await settled();
  abort.abort(new Error("SIGTERM"));
  await expect(identified).rejects.toThrow("SIGTERM");
});
