import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { AccessWorld } from "./access-world.testing.ts";

let world: AccessWorld;
beforeAll(async () => {
  world = await AccessWorld.start();
});
afterAll(() => world.stop());
beforeEach(() => world.reset());

it("prints the group and what is below it, undeclared first, with the objects that declare the others", async () => {
  const run = await world.asAdmin("report", "--group", "shop", ...world.withCluster());
  const [heading, , titles, first, ...rest] = run.stdout.split("\n");
  expect(heading).toBe(
    "Access to root/shop and below: 3 identities through 3 role bindings, of which 2 are undeclared.",
  );
  expect(titles).toMatch(/^IDENTITY +ROLE +GROUP +BOUND SINCE +LAST SEEN +DECLARED BY$/);
  expect(first).toMatch(/^root\/shop\/web\/caller +viewer +root\/shop +20\S+Z +never +undeclared$/);
  expect(rest.join("\n")).toMatch(/root\/shop\/ci +editor .* shop\/ci-edits \(Argo CD shop-app, expires 2030/);
  expect(new Set(world.cluster.calls.map((call) => call.split(" ", 1)[0]))).toEqual(new Set(["GET"]));
});

it.each([
  ["csv", '"unknown access","the role bindings of '],
  ["html", "<h2>Unknown: there may be more access than this page shows</h2>"],
  ["json", '"complete": false'],
  ["yaml", "complete: false"],
  ["markdown", "- Unknown: the role bindings of "],
  ["table", "Unknown: the role bindings of "],
])("says in %s what the caller cannot read", async (format, text) => {
  expect(await world.asReader("report", "--group", "web", "-o", format)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(text),
  });
});

it("prints the table for spreadsheets, and a page, alone", async () => {
  expect((await world.asReader("report", "--group", "web", "-o", "csv")).stdout).toMatch(/^\ufeff"STATE",/);
  expect((await world.asReader("report", "--group", "web", "-o", "html")).stdout).toMatch(
    /^<!doctype html>[^]*<\/html>\n$/,
  );
});
