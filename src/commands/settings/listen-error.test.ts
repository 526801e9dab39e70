import { once } from "node:events";
import { createServer } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { portOf } from "#test/support/loopback.ts";
import { listenError } from "./listen-error.ts";

async function failureOf(host: string, port: number): Promise<unknown> {
  const server = createServer();
  onTestFinished(() => void server.close());
  const failed = once(server, "error");
  server.listen({ host, port }, () => server.emit("error", new Error("the address could be served")));
  return (await failed)[0];
}

it("names the address that another process serves", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const where = `127.0.0.1:${portOf(other)}`;
  const folder = mkdtempSync(join(tmpdir(), "muster-listen-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const expected = `--listen: another process serves ${where}; stop it, or choose another port\n`;
  const platform = await runCommand(["platform", "--data", join(folder, "data.db"), "--listen", where]);
  expect(platform.stderr).toBe(`muster platform: ${expected}`);
});

it("says what to do about an address of another machine, and a host name without one", async () => {
  expect(listenError("--listen", await failureOf("192.0.2.1", 0))).toMatchObject({
    message: "--listen: 192.0.2.1:0 is not an address of this machine; choose one, or 0.0.0.0 for all",
  });
  expect(listenError("--listen", await failureOf("no-such-host.invalid", 0))).toMatchObject({
    message: expect.stringMatching(/^--listen: the host name no-such-host\.invalid has no address \(E/),
  });
});

it("leaves other errors alone", () => {
  const error = new Error("the database is away");
  expect(listenError("--listen", error)).toBe(error);
});
