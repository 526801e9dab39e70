import { expect, it } from "vitest";
import { ImportingPlatform } from "./importing-platform.testing.ts";

const at = ImportingPlatform.forTests();

it("declares roles and identity providers, and says which Secret a person has to make", async () => {
  const { admin, root } = at.world.platform;
  const group = await admin.group(root, "login");
  const robot = await admin.identity(group, "robot");
  const role = { name: "lister", capabilities: ["CAP_REPO_LIST"] };
  const { uid: lister } = await admin.ok("POST", `/iam/v2beta1/roles/${group}`, role);
  const viewer = await admin.role("viewer");
  for (const bound of [viewer, lister]) await admin.bind(group, robot, bound);
  const { uid: provider } = await admin.ok("POST", `/iam/v2beta1/identityProviders/${group}`, {
    name: "sso",
    defaultRole: viewer,
    oidc: {
      issuer: "https://www.login.example.com",
      clientId: "muster",
      clientSecret: "planted-secret",
      pkceEnabled: true,
    },
  });
  const { code, objects, secrets } = await at.world.report(group);
  expect({ code, objects }).toEqual({
    code: 0,
    objects: { Group: 1, Identity: 1, Role: 1, RoleBinding: 2, IdentityProvider: 1 },
  });
  expect(secrets).toMatchObject([{ provider, namespace: "login", key: "clientSecret" }]);
  expect((await at.world.run(group)).stdout).toContain(
    `make Secret ${secrets[0]?.name}, because the platform never returns`,
  );
  expect((await at.world.run(group, ["-o", "markdown"])).stdout).toContain(
    `\` ${secrets[0]?.commands.join(" && ")} \``,
  );
  expect(await at.world.plan()).toMatchObject({ code: 0, stdout: "Plan: nothing to do.\n" });
  await at.world.run(group, ["--adopt"]);
  expect(await at.world.plannedChanges()).toEqual(
    expect.arrayContaining(["adopt role marker", "adopt role binding", "adopt identity marker"]),
  );
});

it("declares account associations, that of the group itself among them", async () => {
  const { admin, root } = at.world.platform;
  const group = await admin.group(root, "linked");
  const below = await admin.group(group, "below");
  const installations = [{ installationId: "10" }, { installationId: "9", name: "acme" }];
  for (const [uid, accounts] of [
    [group, { amazon: { account: "123456789012" }, azure: { tenantId: "acme", clientIds: { web: "1", ci: "2" } } }],
    [
      below,
      {
        google: { projectId: "acme-shop", projectNumber: "42" },
        github: { appInstallations: { 7: { installations } } },
      },
    ],
  ] as const)
    await admin.ok("POST", `/iam/v2beta1/accountAssociations/${uid}`, { name: "cloud", ...accounts });
  const { code, objects } = await at.world.report(group);
  expect({ code, objects }).toEqual({ code: 0, objects: { Group: 2, AccountAssociation: 2 } });
  expect(await at.world.plan()).toMatchObject({ code: 0, stdout: "Plan: nothing to do.\n" });
  await at.world.run(group, ["--adopt"]);
  expect(await at.world.plannedChanges()).toEqual(
    expect.arrayContaining([
      "adopt group marker",
      "adopt account association marker",
      "adopt account association marker",
    ]),
  );
  const before = at.world.content();
  expect((await at.world.report(group, ["--adopt"])).files).toMatchObject({ written: 0, removed: [] });
  expect(at.world.content()).toEqual(before);
});
