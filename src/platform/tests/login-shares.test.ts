import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { GatedDatabase } from "./gated-database.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let gate: GatedDatabase;
beforeAll(async () => {
  platform = await RunningPlatform.start(
    {},
    {
      trustedProxies: ["127.0.0.0/8"],
      wrapDatabase: (database) => (gate = new GatedDatabase(database)),
    },
  );
});
afterAll(() => platform.stop());

it("wrong codes of one address are limited, however many are tried at once", async () => {
  const page = await fetch(`${platform.url}/device`);
  const formToken = /name="form_token" value="([^"]*)"/.exec(await page.text())?.[1] ?? "";
  const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
  const statuses: number[] = [];
  const guess = async () => {
    const body = new URLSearchParams({ form_token: formToken, user_code: "BBBB-BBBB" });
    const { status } = await fetch(`${platform.url}/device`, { method: "POST", headers: { cookie }, body });
    statuses.push(status);
  };
  gate.shut();
  const guesses = Array.from({ length: 60 }, guess);
  // Each of them waits for the database, or was refused.
  await vi.waitUntil(() => gate.held + statuses.length >= 60, { timeout: 20_000, interval: 5 });
  gate.open();
  await Promise.all(guesses);
  expect(statuses.filter((status) => status !== 429)).toHaveLength(20);
});

it("logins from one address delay no login from another, no call, and no work of the platform", async () => {
  const { admin } = platform;
  const group = await admin.group(platform.root);
  const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
  await admin.ok("POST", `/iam/v2beta1/identityProviders/${group}`, {
    name: "provider",
    defaultRole: await admin.role("viewer"),
    oidc,
  });
  const tenant = await platform.callerWith("viewer", group);
  const order: string[] = [];
  const logIn = async (address: string) => {
    const response = await fetch(`${platform.url}/device_authorization`, {
      method: "POST",
      headers: { "x-forwarded-for": address },
      body: new URLSearchParams({ client_id: "muster-cli", group }),
    });
    expect(response.status, await response.text()).toBe(200);
    order.push(address);
  };

  gate.shut();
  const flood = Array.from({ length: 120 }, () => logIn("192.0.2.1"));
  await gate.holds(120);
  const others = [
    logIn("198.51.100.1"),
    tenant.ok("GET", `/iam/v2beta1/groups/${group}`).then(() => order.push("tenant")),
    gate.write(async () => {}).then(() => order.push("platform")),
  ];
  await gate.holds(123);
  gate.open();
  await Promise.all([...flood, ...others]);
  // In the order of arrival, they would be the last ones.
  for (const name of ["198.51.100.1", "tenant", "platform"]) expect(order.indexOf(name), name).toBeLessThan(40);
});
