import { create } from "@bufbuild/protobuf";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { AuthoredWriter } from "#src/platform/audit/authored-writer.ts";
import { groups } from "#src/platform/collections/groups.ts";
import { identities } from "#src/platform/collections/identities.ts";
import { GroupSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentitySchema } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";

const root = "f".repeat(40);
const uid = `${root}/00000000000000a1`;

it("prints the person whom an actor is now, whom no record names", async () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-audit-"));
  const data = join(folder, "platform.db");
  try {
    const database = new SqliteDatabase(data);
    await database.write(async (tx) => {
      const writer = new AuthoredWriter(tx, { kind: "identity", uid, onBehalfOf: undefined }, 0);
      await groups.insert(writer, create(GroupSchema, { uid: root, name: "root" }));
      const person = { name: "Kate\u202e Miller", email: "kate@corp.test" };
      await identities.insert(writer, create(IdentitySchema, { uid, name: "login-d534", person }));
    });
    await database.close();
    const audit = (output: string) => runCommand(["platform", "audit", "--data", data, "-o", output]);
    const lines = (await audit("json")).stdout.trim().split("\n");
    const [, created] = lines.map((line) => JSON.parse(line) as { actor: object; changes: object });
    expect(created?.actor).toMatchObject({ name: uid, person: { name: "Kate\u202e Miller", email: "kate@corp.test" } });
    expect(JSON.stringify(created?.changes)).not.toContain("Kate");
    expect(lines[1]).not.toContain("\u202e");
    expect((await audit("table")).stdout).toContain("Kate\ufffd Miller <kate@corp.test> (…/00000000000000a1)");
    expect((await audit("yaml")).stdout).toContain("email: kate@corp.test");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
