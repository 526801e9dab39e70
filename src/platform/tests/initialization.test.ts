import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { parseInitFile } from "../init-file.ts";
import { initialize } from "../initialize.ts";
import { PostgresDatabase } from "../store/postgres/postgres-database.ts";
import { newDatabase } from "./new-database.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

const root = "0123456789".repeat(4);
const operator = `${root}/00000000000000a1`;
const tenant = `${root}/00000000000000a2`;
const subject = "system:serviceaccount:muster-system:muster-operator";

const declared = (operatorChanges: object = {}, rootChanges: object = {}) =>
  parseInitFile(
    JSON.stringify({
      rootGroup: { uid: root, name: "acme", ...rootChanges },
      identities: [
        {
          uid: operator,
          name: "muster",
          issuer: "https://cluster.example.com",
          subject,
          audience: "muster",
          role: "owner",
          description: "owner id 5ffe",
          ...operatorChanges,
        },
        { uid: tenant, issuer: "https://cluster.example.com", subject: "t", role: "editor" },
      ],
    }),
  );

/** A log whose lines a test reads. */
function recorded(): { readonly log: pino.Logger; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  return { log: pino({}, stream), lines };
}

const differencesIn = (lines: readonly Record<string, unknown>[]) =>
  lines
    .filter(({ msg }) => String(msg).startsWith("the init file differs"))
    .map(({ level, field, file, database }) => ({ level, field, file, database }));

describe("the init file", () => {
  let platform: RunningPlatform;
  beforeAll(async () => {
    platform = await RunningPlatform.start({}, { initFile: declared() });
  });
  afterAll(() => platform.stop());

  it("is applied by the first start: the root group, identities and their role bindings", async () => {
    expect(platform.root).toBe(root);
    expect(await platform.admin.ok("GET", `/iam/v2beta1/groups/${root}`)).toMatchObject({ name: "acme" });
    expect(await platform.admin.ok("GET", `/iam/v2beta1/identities/${operator}`)).toMatchObject({
      name: "muster",
      description: "owner id 5ffe",
      claimMatch: { issuer: "https://cluster.example.com", subject, audience: "muster" },
    });
    const { roleBindings, totalCount } = await platform.admin.ok("GET", "/iam/v2beta1/roleBindings");
    const granted = roleBindings.map(({ identity, role, group }) =>
      [identity, role, group].map((part) => part as object),
    );
    expect(totalCount).toBe("2");
    expect(granted).toEqual(
      expect.arrayContaining([
        [
          expect.objectContaining({ uid: operator }),
          expect.objectContaining({ name: "owner" }),
          expect.objectContaining({ uid: root }),
        ],
        [
          expect.objectContaining({ uid: tenant }),
          expect.objectContaining({ name: "editor" }),
          expect.objectContaining({ uid: root }),
        ],
      ]),
    );
  });

  it("is compared by a later start, which logs each different field and changes nothing", async () => {
    const contents = async () => [
      await platform.admin.ok("GET", "/iam/v2beta1/identities"),
      await platform.admin.ok("GET", "/iam/v2beta1/roleBindings"),
      await platform.admin.ok("GET", "/iam/v2beta1/groups"),
    ];
    const before = await contents();
    const { log, lines } = recorded();
    const changes = { subject: "another", audience: undefined, role: "viewer", description: "other", name: "other" };
    const later = await RunningPlatform.start(
      {},
      { replicaOf: platform, log, initFile: declared(changes, { name: "b" }) },
    );
    expect(later.root).toBe(root);
    expect(differencesIn(lines)).toEqual([
      { level: 40, field: "rootGroup.name", file: "b", database: "acme" },
      { level: 40, field: "identities[0].name", file: "other", database: "muster" },
      { level: 40, field: "identities[0].description", file: "other", database: "owner id 5ffe" },
      { level: 40, field: "identities[0].subject", file: "another", database: subject },
      { level: 40, field: "identities[0].audience", file: "", database: "muster" },
      { level: 40, field: "identities[0].role", file: "viewer", database: undefined },
    ]);
    expect(await contents()).toEqual(before);
    await later.stop();
  });

  it("logs nothing if the database is as the file declares", async () => {
    const { log, lines } = recorded();
    const later = await RunningPlatform.start({}, { replicaOf: platform, log, initFile: declared() });
    expect(differencesIn(lines)).toEqual([]);
    await later.stop();
  });

  it("is not applied to a database that was initialized without it", async () => {
    const first = await RunningPlatform.start();
    const { log, lines } = recorded();
    const later = await RunningPlatform.start({}, { replicaOf: first, log, initFile: declared() });
    expect(later.root).toBe(first.root);
    expect(differencesIn(lines).map(({ field, database }) => [field, database])).toEqual([
      ["rootGroup.uid", first.root],
      ["rootGroup.name", "root"],
      ["identities[0].uid", undefined],
      ["identities[1].uid", undefined],
    ]);
    expect((await later.admin.ok("GET", "/iam/v2beta1/identities")).totalCount).toBe("0");
    await later.stop();
    await first.stop();
  });

  it("is applied once if replicas start at the same time", async () => {
    if (inject("backend") !== "postgres") return;
    const url = (await newDatabase()) ?? "";
    const folder = mkdtempSync(join(tmpdir(), "muster-initialization-"));
    const replicas = await Promise.all([1, 2, 3].map(() => PostgresDatabase.open(url, { connections: 2 })));
    const results = await Promise.all(
      replicas.map((database, index) =>
        initialize(database, join(folder, `admin-token-${index}`), 0, declared({ description: `replica ${index}` })),
      ),
    );
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(results.flatMap(({ differences }) => differences.map(({ field }) => field))).toEqual([
      "identities[0].description",
      "identities[0].description",
    ]);
    await Promise.all(replicas.map((database) => database.close()));
    rmSync(folder, { recursive: true });
  });
});
