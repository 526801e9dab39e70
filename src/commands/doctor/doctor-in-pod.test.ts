import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { DoctorWorld } from "./doctor-world.testing.ts";

let world: DoctorWorld;
beforeAll(async () => {
  world = await DoctorWorld.start();
});
afterAll(() => world.stop());

it("uses the operator's settings and identity in its pod", async () => {
  const subject = world.file("subject", await world.platform.subjectToken(world.identity, {}, DoctorWorld.account));
  const env = {
    KUBERNETES_SERVICE_HOST: "127.0.0.1",
    HOME: world.folder,
    MUSTER_PLATFORM_URL: world.platform.url,
    MUSTER_IDENTITY: world.identity,
    MUSTER_ROOT_GROUP: world.platform.root,
    MUSTER_ALLOWED_ROLE: "viewer",
    MUSTER_TOKEN_FILE: subject,
    MUSTER_OPERATOR_URL: "http://127.0.0.1:9",
  };
  const { stdout } = await runCommand(["doctor"], { env });
  for (const check of ["configuration", "token", "exchange", "network", "clock", "calls", "capabilities"])
    expect(stdout, check).toMatch(new RegExp(`^pass +${check} `, "m"));
  expect(stdout).toMatch(/^FAIL +operator +http/m);
  // There is no service account here.
  expect(stdout).toMatch(/^FAIL +Kubernetes /m);
  const { MUSTER_ALLOWED_ROLE: _role, ...incomplete } = env;
  const other = await world.platform.makeIdentity(world.platform.root, "not-assumed-by-it");
  const wrong = await runCommand(["doctor"], { env: { ...incomplete, MUSTER_IDENTITY: other } });
  expect(wrong.stdout).toMatch(/FAIL +configuration .*allowed-role/);
  expect(wrong.stdout).toMatch(/FAIL +exchange .*The token in --token-file has the issuer/);
  expect(wrong.stdout).not.toContain("eyJ");
});
