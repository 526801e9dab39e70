import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AuthoredWriter } from "#src/platform/audit/authored-writer.ts";
import { identities } from "#src/platform/collections/identities.ts";
import { Identity_PersonSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { AccessWorld, jsonOf } from "./access-world.testing.ts";

const kate = { name: "Kate Miller", email: "kate@corp.test" };
const shown = "Kate Miller <kate@corp.test> (root/shop/web/caller)";

let world: AccessWorld;
beforeAll(async () => {
  world = await AccessWorld.start();
  const database = await world.platform.openDatabase();
  await database.write(async (tx) => {
    const identity = await identities.find(tx, world.uids.reader);
    if (identity === undefined) throw new Error("the identity is missing");
    identity.person = create(Identity_PersonSchema, kate);
    await identities.update(new AuthoredWriter(tx, { kind: "platform" }, Date.now()), identity);
  });
  await database.close();
});
afterAll(() => world.stop());

const commands = {
  "who-can": ["who-can", "groups.list", "--group", "web"],
  of: ["of", "web/caller"],
  explain: ["explain", "web/caller", "groups.list", "--group", "web"],
  report: ["report", "--group", "web"],
} as const;

it.each(Object.keys(commands) as (keyof typeof commands)[])(
  "%s shows the person beside the identity",
  async (command) => {
    const table = await world.asAdmin(...commands[command]);
    expect(table.stdout).toContain(shown);
    const markdown = await world.asAdmin(...commands[command], "-o", "markdown");
    expect(markdown.stdout.replaceAll(/[\u2060\\]/g, "")).toMatch(
      /Kate Miller (<|&lt;)kate@corp\.test(>|&gt;) \(root\/shop\/web\/caller\)/,
    );
    const json = JSON.stringify(jsonOf(await world.asAdmin(...commands[command], "-o", "json")));
    expect(json).toContain(`"path":"root/shop/web/caller","person":${JSON.stringify(kate)}`);
  },
);

it("prints the person in columns of its own for spreadsheets, and in the page", async () => {
  const csv = (await world.asAdmin("report", "--group", "web", "-o", "csv")).stdout;
  expect(csv).toContain('"root/shop/web/caller","Kate Miller <kate@corp.test>",');
  const page = (await world.asAdmin("report", "--group", "web", "-o", "html")).stdout;
  expect(page).toContain("Kate Miller &#60;kate@corp.test&#62;");
});
