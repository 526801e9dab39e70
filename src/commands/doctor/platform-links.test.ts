import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { listenOnLoopback } from "#test/support/loopback.ts";
import { DoctorWorld } from "./doctor-world.testing.ts";

let world: DoctorWorld;
beforeAll(async () => {
  world = await DoctorWorld.start();
});
afterAll(() => world.stop());
beforeEach(() => world.reset());

it("reports capabilities that the identity lacks", async () => {
  const elsewhere = await world.platform.admin.group(world.platform.root, "elsewhere");
  const other = await world.platform.makeIdentity(world.platform.root, "other");
  await world.platform.admin.bind(elsewhere, other, await world.platform.admin.role("viewer"));
  const { stdout } = await world.doctor([], {}, other);
  expect(stdout).toMatch(/^FAIL +capabilities .*It lacks CAP_IAM_GROUPS_LIST in /m);
  expect(stdout).toMatch(/^FAIL +owner id .*It records no owner id/m);
});

it("reports a platform that does not respond, a proxy and a file without certificates, and prints no password", async () => {
  const args = [
    "--platform-url",
    "https://127.0.0.2:9",
    "--platform-ca",
    world.file("ca.pem", "no certificate"),
    "--timeout",
    "2s",
  ];
  const env = { HTTPS_PROXY: "http://user:c2lnbmF0dXJl-_x@127.0.0.3:9" };
  const kubeconfig = [...world.withCluster(), "--token-file", world.file("token", "t\n")];
  const { code, stdout } = await runCommand(["doctor", ...kubeconfig, ...args], { env });
  expect(code).toBe(3);
  expect(stdout).toContain("The file contains no certificate.");
  expect(stdout).toMatch(/FAIL +network +platform https:\/\/127\.0\.0\.2:9/);
  expect(stdout).not.toContain("c2lnbmF0dXJl");
});

it("reports a clock that differs from the platform's", async () => {
  const server = createServer(
    (_, response) => void response.writeHead(404, { date: "Wed, 01 Jan 2020 00:00:00 GMT" }).end(),
  );
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const args = ["--platform-url", url, "--token-file", world.file("token", "t\n"), ...world.withCluster()];
  const { stdout } = await runCommand(["doctor", ...args]);
  expect(stdout).toMatch(/FAIL +clock .* s ahead of its clock\./);
});
