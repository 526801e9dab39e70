import { afterAll, beforeAll, expect, it } from "vitest";
import { AccessWorld, jsonOf } from "./access-world.testing.ts";

let world: AccessWorld;
beforeAll(async () => {
  world = await AccessWorld.start();
});
afterAll(() => world.stop());

it("prints each role binding with its capabilities, writes first", async () => {
  const { stdout } = await world.asAdmin("of", "shop/ci");
  expect(stdout).toContain("root/shop/ci has 1 role binding. It is assumed by: issuer https://issuer.example.com,");
  expect(stdout).toMatch(/root\/shop +editor +repo.create, repo.delete, repo.update, \S+ and 9 more +20/);
  const value = jsonOf(await world.asAdmin("of", world.uids.ci, "-o", "json"));
  expect(value).toMatchObject({ complete: true, roleBindings: [{ role: { name: "editor", builtIn: true } }] });
});

it("says where it could not look", async () => {
  const { stdout } = await world.asReader("of", "robot");
  expect(stdout).toContain("…/shop/web/robot has 1 role binding that you can read.");
  expect(stdout).toMatch(/…\/shop\/web +creator +unknown /);
  expect(stdout).toContain("Unknown: role bindings in other groups than …/shop and those below");
});
