import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithPostgres } from "../../tests/describe-with-postgres.testing.ts";
import { selfSignedCertificate } from "../../tests/self-signed.testing.ts";
import { PostgresDatabase } from "./postgres-database.ts";

const tls = selfSignedCertificate();

describeWithPostgres(
  "the connection to a PostgreSQL server that serves TLS",
  (postgres) => {
    let folder = "";
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "muster-postgres-tls-"));
      await writeFile(join(folder, "ca.crt"), tls.certificate);
      await writeFile(join(folder, "other.crt"), selfSignedCertificate().certificate);
    });
    afterAll(() => rm(folder, { recursive: true }));

    const urlWith = async (parameters: Readonly<Record<string, string>>) => {
      const url = new URL(await postgres().newDatabase());
      url.search = String(new URLSearchParams(parameters));
      return url.href;
    };
    const verified = (file: string) => ({ sslmode: "verify-full", sslrootcert: join(folder, file) });
    /** Whether each connection of the platform to a database is encrypted. */
    const encrypted = (url: string) =>
      postgres().run(
        url,
        "select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'muster platform' and datname = current_database()",
      );

    it.each([
      ["sslmode=verify-full encrypts it", () => verified("ca.crt"), true],
      ["without sslmode, it is not encrypted", () => ({}), false],
    ])("%s", async (_, parameters, ssl) => {
      const url = await urlWith(parameters());
      const database = await PostgresDatabase.open(url, { connections: 2 });
      expect(await encrypted(url)).toEqual([{ ssl }]);
      await database.close();
    });

    it("sslmode=verify-full refuses a server whose authority is not in sslrootcert", async () => {
      const opened = PostgresDatabase.open(await urlWith(verified("other.crt")), { connections: 2 });
      await expect(opened).rejects.toThrow("self-signed certificate");
    });
  },
  { tls },
);
