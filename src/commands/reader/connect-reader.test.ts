import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { NotLoggedIn } from "#src/login/login-session.ts";
import { groups } from "#src/platform-client/permission-resources.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";
import { connectReader, type ReaderValues } from "./connect-reader.ts";

let platform: RunningPlatform;
const subject = "system:serviceaccount:muster-system:muster-operator";
let folder = "";
let identity = "";
let inPod: ReaderValues;
const { signal } = new AbortController();
const stderr = new PassThrough();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-reader-"));
  platform = await RunningPlatform.start();
  identity = await platform.makeIdentity(platform.root, "muster", ["127.0.0.1"], subject);
  const subjectTokenFile = join(folder, "subject-token");
  writeFileSync(subjectTokenFile, await platform.subjectToken(identity, {}, subject));
  const platformUrl = new URL(platform.url);
  inPod = { identity, platformUrl, subjectTokenFile, tokenFile: undefined, platformCa: undefined, timeout: 5_000 };
});
afterAll(async () => {
  await platform.stop();
  rmSync(folder, { recursive: true });
});

const env = () => ({ KUBERNETES_SERVICE_HOST: "10.0.0.1", HOME: folder });

it("assumes the operator's identity in its pod, with a read", async () => {
  const reader = await connectReader(inPod, { env: env(), signal, stderr });
  try {
    expect(reader.claims?.identity).toBe(identity);
    expect(await reader.api.list(groups, {}, signal)).toHaveProperty("totalCount");
  } finally {
    await reader.close();
  }
});

it("exchanges the token of --token-file there, as the operator does", async () => {
  const { subjectTokenFile, ...values } = inPod;
  const reader = await connectReader({ ...values, tokenFile: subjectTokenFile }, { env: env(), signal, stderr });
  expect(reader.claims?.identity).toBe(identity);
  await reader.close();
});

it("uses a token of the platform in --token-file as it is, also in a pod", async () => {
  const { body } = await platform.exchange(await platform.subjectToken(identity, {}, subject), identity);
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, body.token);
  const reader = await connectReader({ ...inPod, tokenFile }, { env: env(), signal, stderr });
  expect(await reader.api.list(groups, {}, signal)).toHaveProperty("totalCount");
  await reader.close();
});

it.each([env, () => ({ HOME: folder })])(
  "never sends a service-account token to the platform as it is",
  async (given) => {
    const { identity: _identity, subjectTokenFile = "", ...values } = inPod;
    const reading = connectReader({ ...values, tokenFile: subjectTokenFile }, { env: given(), signal, stderr });
    await expect(reading).rejects.toThrow("has a service-account token, which is not one of the platform");
  },
);

it.each([
  ["outside of a pod", {}, false],
  ["where a cluster is named", { kubeconfig: "kubeconfig" }, true],
  ["where the token of the pod is missing", { subjectTokenFile: "/nonexistent" }, true],
])("uses the person's login %s", async (_, values, isPod) => {
  const given = isPod ? env() : { HOME: folder };
  await expect(connectReader({ ...inPod, ...values }, { env: given, signal, stderr })).rejects.toThrow(NotLoggedIn);
});
