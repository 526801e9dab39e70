import { testIdentity } from "#src/login/login-platform.testing.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { group, LoginCommands, respond } from "./login-commands.testing.ts";

let login: LoginCommands;
beforeAll(async () => {
  login = await LoginCommands.start();
});
afterAll(() => login.stop());
beforeEach(() => login.reset());

it("prints the identity, its provider, its roles and when the login ends", async () => {
  await login.logIn();
  login.serveApi();
  const { code, stdout } = await login.run("whoami");
  expect(code).toBe(0);
  expect(stdout).toBe(`Platform       ${login.platform.url}
Identity       alice (${testIdentity})
Issuer         https://idp.example.com
Subject        alice
Roles          owner in shop (${group})
               viewer in shop (${group})
Token expires  ${login.tokens().expiresAt}
Login expires  not known
`);
  expect(JSON.parse((await login.run("whoami", "-o", "json")).stdout)).toMatchObject({
    identity: { uid: testIdentity, name: "alice" },
    roles: [{ group: { name: "shop" }, role: { name: "owner" } }, { role: { name: "viewer" } }],
  });
  expect((await login.run("whoami", "-o", "yaml")).stdout).toContain("subject: alice\n");
});

it("prints the person, as the identity provider vouched", async () => {
  await login.logIn();
  login.serveApi();
  const other = login.platform.intercept;
  login.platform.intercept = (request, response) => {
    if (request.url !== `/iam/v2beta1/identities/${testIdentity}`) return other?.(request, response) ?? false;
    const person = { name: "Alice\nSubject  mallory", email: "alice@corp.test" };
    respond(response, 200, { uid: testIdentity, name: "login-d534", person });
    return true;
  };
  expect((await login.run("whoami")).stdout).toContain(
    `Person         Alice\ufffdSubject  mallory <alice@corp.test>\nIdentity       login-d534 (${testIdentity})\n`,
  );
  expect(JSON.parse((await login.run("whoami", "-o", "json")).stdout)).toMatchObject({
    identity: { uid: testIdentity, person: { email: "alice@corp.test" } },
  });
});

it("prints what it knows to a person who may read nothing", async () => {
  await login.logIn();
  login.platform.intercept = (request, response) => {
    if (request.url?.startsWith("/iam/") !== true) return false;
    respond(response, 403, { code: 7, message: "no permission", details: [] });
    return true;
  };
  const { code, stdout } = await login.run("whoami");
  expect(code).toBe(0);
  expect(stdout).toContain(`Identity       ${testIdentity}\n`);
  expect(stdout).toContain("Roles          none that you may list\n");
});

it("ends on a platform whose pages are empty and never end", async () => {
  await login.logIn();
  login.serveApi();
  const other = login.platform.intercept;
  let pages = 0;
  login.platform.intercept = (request, response) => {
    if (request.url?.startsWith("/iam/v2beta1/roleBindings") !== true) return other?.(request, response) ?? false;
    pages += 1;
    respond(response, 200, { roleBindings: [], nextPageToken: `next-${pages}` });
    return true;
  };
  const { code, stdout } = await login.run("whoami");
  expect(code).toBe(0);
  expect(stdout).toContain("Roles          none that you may list\n");
  expect(pages).toBe(100);
});
