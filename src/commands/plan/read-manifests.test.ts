import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import { tenant } from "./plan-world.testing.ts";
import { readManifests } from "./read-manifests.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-manifests-"));
afterAll(() => rmSync(folder, { recursive: true }));
const namespace = (name: string) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`;
const { signal } = new AbortController();
const read = (paths: readonly string[], { stdin = Readable.from([""]), stop = signal } = {}) =>
  readManifests(paths, { stdin, signal: stop, namespace: "shop", kinds });

it("reads links to files, and follows no link to a folder, which may lead back", async () => {
  writeFileSync(join(folder, "one.yaml"), namespace("one"));
  // With two of them, the paths would double at each of 40 levels.
  for (const link of ["loop", "again"]) symlinkSync(".", join(folder, link));
  const elsewhere = mkdtempSync(join(tmpdir(), "muster-manifests-"));
  writeFileSync(join(elsewhere, "data"), namespace("two"));
  symlinkSync(join(elsewhere, "data"), join(folder, "two.yaml"));
  try {
    const { manifests } = await read([folder]);
    expect(manifests.map(({ object }) => object.metadata.name)).toEqual(["one", "two"]);
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});

it("names a pipe in a folder, because its writer may never come", async () => {
  const pipes = join(folder, "pipes");
  mkdirSync(pipes);
  execFileSync("mkfifo", [join(pipes, "pipe.yaml")]);
  await expect(read([pipes])).rejects.toThrow(`--filename: ${pipes}/pipe.yaml is not a file`);
});

it("ends at a device and at a standard input that have no end", { timeout: 60_000 }, async () => {
  const mebibyte = "a".repeat(2 ** 20);
  const endless = Readable.from(
    (function* () {
      for (;;) yield mebibyte;
    })(),
  );
  await expect(read(["/dev/zero"])).rejects.toThrow(
    "--filename: with /dev/zero, the manifests are larger than 256 MiB: plan them in parts",
  );
  await expect(read(["-"], { stdin: endless })).rejects.toThrow("with standard input, the manifests are larger");
});

it("stops to wait for the writer of a pipe when the command is stopped", async () => {
  const stop = new AbortController();
  const pipe = join(folder, "waiting");
  execFileSync("mkfifo", [pipe]);
  const reading = read([pipe], { stop: stop.signal });
  stop.abort(new Error("stopped by the test"));
  await expect(reading).rejects.toThrow("stopped by the test");
});

it("shows the first mistakes, and counts the others", async () => {
  const mistakes = "kind: Wrong\n---\n".repeat(1_000);
  const error = await read(["-"], { stdin: Readable.from([mistakes]) }).catch((thrown: unknown) => String(thrown));
  expect(error).toContain("standard input: document 100 (line 199)");
  expect(error).toMatch(/\n {2}and 900 more$/);
});

it("reads the manifests of a folder, and not what kustomize reads there", async () => {
  const inner = mkdtempSync(join(folder, "folder-"));
  writeFileSync(join(inner, "tree.yaml"), tenant("0".repeat(40)));
  writeFileSync(join(inner, "kustomization.yaml"), "kind: Kustomization\nresources: [tree.yaml]\n");
  const { manifests } = await read([inner]);
  expect(manifests.map(({ object }) => object.kind)).toEqual(["Tenant", "Namespace"]);
});

it("reads what kubectl get prints of an object", async () => {
  const metadata = {
    name: "shop",
    namespace: "shop",
    uid: "b93a4d41-5d6d-4375-932a-c67c1277f5b4",
    resourceVersion: "272",
    generation: 3,
    creationTimestamp: null,
    labels: { team: "a", constructor: "b" },
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
    finalizers: ["iam.muster.dev/external"],
    managedFields: [{ operation: "Apply" }],
  };
  const file = join(folder, "got.json");
  const spec = { parentUid: "0".repeat(40) };
  const of = (apiVersion: string, kind: string, more: object) =>
    JSON.stringify({ apiVersion: "v1", kind: "List", items: [{ apiVersion, kind, metadata, ...more }] });
  writeFileSync(file, of("iam.muster.dev/v1beta1", "Group", { spec, status: { conditions: [] } }));
  const [got] = (await read([file])).manifests;
  const { labels, annotations, uid } = metadata;
  expect(got?.object.metadata).toMatchObject({ name: "shop", namespace: "shop", labels, annotations, uid });
  writeFileSync(file, of("v1", "Namespace", { spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } }));
  expect((await read([file])).manifests).toHaveLength(1);
});

it("reads lists as kubectl prints them", async () => {
  const item = { apiVersion: "iam.muster.dev/v1beta1", kind: "Group", spec: { parentUid: "0".repeat(40) } };
  const listed = (apiVersion: string, kind: string, name: string) =>
    JSON.stringify({ apiVersion, kind, metadata: {}, items: [{ ...item, metadata: { name } }] });
  const inner = mkdtempSync(join(folder, "lists-"));
  writeFileSync(join(inner, "a.json"), listed("v1", "List", "a"));
  writeFileSync(join(inner, "b.json"), listed("iam.muster.dev/v1beta1", "GroupList", "b"));
  const { manifests } = await read([inner]);
  expect(manifests.map(({ object }) => object.metadata.name)).toEqual(["a", "b"]);
});

it("reads the files in a folder whose name ends as that of a manifest, and names a link to nothing", async () => {
  const inner = mkdtempSync(join(folder, "folder-"));
  mkdirSync(join(inner, "shop.yaml"));
  writeFileSync(join(inner, "shop.yaml", "tree.yaml"), tenant("0".repeat(40)));
  expect((await read([inner])).manifests).toHaveLength(2);
  symlinkSync(join(inner, "nothing"), join(inner, "link.yaml"));
  await expect(read([inner])).rejects.toThrow("link.yaml is a link to a file that does not exist");
});
