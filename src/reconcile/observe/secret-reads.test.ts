import { expect, it } from "vitest";
import { issuerAnnotation } from "#src/api/annotations.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { SecretReads } from "./secret-reads.ts";

const at = { namespace: "team", name: "login", key: "clientSecret" };
const { signal } = new AbortController();
const base64 = (text: string | Buffer) => Buffer.from(text).toString("base64");

function start(data: Readonly<Record<string, string>> = { clientSecret: base64("planted") }, resourceVersion = "7") {
  const state = { data, resourceVersion, failure: undefined as KubeError | undefined };
  const gets: string[] = [];
  const kube = {
    get: async (_resource: unknown, namespace: string, name: string) => {
      gets.push(`${namespace}/${name}`);
      if (state.failure !== undefined) throw state.failure;
      const annotations = { [issuerAnnotation]: "https://login.example" };
      return { metadata: { uid: "u", resourceVersion: state.resourceVersion, annotations }, data: state.data };
    },
  } as unknown as Pick<KubeApi, "get">;
  return { state, gets, reads: new SecretReads(kube, new ManualClock()) };
}

it("remembers the version and the issuer of a Secret, and never its value", async () => {
  const { reads, gets } = start();
  expect(reads.lastRead(at)).toBeUndefined();
  await reads.read(at, signal);
  const read = reads.lastRead(at);
  expect(read).toMatchObject({
    is: "found",
    uid: "u",
    resourceVersion: "7",
    issuer: "https://login.example",
    unusable: null,
  });
  expect(JSON.stringify([read, reads])).not.toContain("planted");
  expect(gets).toEqual(["team/login"]);
});

it("remembers nothing of the Secret of the same name in another namespace", async () => {
  const { reads } = start();
  await reads.read(at, signal);
  expect(reads.lastRead({ ...at, namespace: "other" })).toBeUndefined();
});

it("returns the value of the version that was decided about, and of no other", async () => {
  const { reads, state } = start();
  expect(await reads.value(at, { uid: "u", resourceVersion: "7" }, signal)).toBe("planted");
  state.resourceVersion = "8";
  expect(await reads.value(at, { uid: "u", resourceVersion: "7" }, signal)).toBeUndefined();
  expect(reads.lastRead(at)).toMatchObject({ resourceVersion: "8" });
  expect(await reads.value(at, { uid: "another", resourceVersion: "8" }, signal)).toBeUndefined();
});

it.each<[string, Readonly<Record<string, string>>]>([
  ["noKey", {}],
  ["empty", { clientSecret: "" }],
  ["tooLong", { clientSecret: base64("x".repeat(4097)) }],
  ["notText", { clientSecret: base64("planted\n") }],
  ["notText", { clientSecret: base64(Buffer.from([0xff, 0xfe])) }],
])("knows why a value cannot be sent: %s", async (unusable, data) => {
  const { reads } = start(data);
  await reads.read(at, signal);
  expect(reads.lastRead(at)).toMatchObject({ is: "found", unusable });
  expect(await reads.value(at, { uid: "u", resourceVersion: "7" }, signal)).toBeUndefined();
});

it("takes a Secret that does not exist as a result, and throws what Kubernetes refuses", async () => {
  const { reads, state } = start();
  state.failure = new KubeError({ call: "get secrets", code: 404, reason: "NotFound" }, "not found");
  await reads.read(at, signal);
  expect(reads.lastRead(at)).toMatchObject({ is: "missing" });
  state.failure = new KubeError({ call: "get secrets", code: 403, reason: "Forbidden" }, "forbidden");
  await expect(reads.read(at, signal)).rejects.toThrow("forbidden");
});

it("forgets the oldest reads beyond its bound", async () => {
  const { reads } = start();
  for (let count = 0; count <= 10_000; count += 1) await reads.read({ ...at, name: `login-${count}` }, signal);
  expect(reads.lastRead({ ...at, name: "login-0" })).toBeUndefined();
  expect(reads.lastRead({ ...at, name: "login-1" })).toBeDefined();
});
