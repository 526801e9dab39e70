import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { type GroupInvite, GroupInvitesService } from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import {
  type IdentityProvider,
  IdentityProvidersService,
} from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { builtinRoles } from "../authorization/builtin-roles.ts";
import { InProcess } from "./access-model/in-process.testing.ts";
import { Random } from "./access-model/random.testing.ts";
import { randomWorld } from "./access-model/world.testing.ts";

it("stores client secrets encrypted and invite codes hashed: neither is in the data or in a response", async () => {
  const world = randomWorld(new Random(1));
  const platform = await InProcess.of(world);
  const parent = world.groups[0]?.uid ?? "";
  const role = builtinRoles[0]?.uid ?? "";

  const { createIdentityProvider, updateIdentityProvider } = IdentityProvidersService.method;
  const oidc = (clientSecret: string) =>
    ({
      case: "oidc",
      value: { issuer: "https://login.example.com", clientId: "the-client-id", clientSecret },
    }) as const;
  const created = (await platform.call(
    createIdentityProvider,
    create(createIdentityProvider.input, {
      parent,
      identityProvider: { name: "p", defaultRole: role, configuration: oidc("the-first-secret") },
    }),
  )) as IdentityProvider;
  const changed = (await platform.call(
    updateIdentityProvider,
    create(updateIdentityProvider.input, {
      identityProvider: { uid: created.uid, configuration: oidc("the-second-secret") },
    }),
  )) as IdentityProvider;
  for (const { configuration } of [created, changed]) expect(configuration.value?.clientSecret).toBe("");

  const { createGroupInvite, getGroupInvite } = GroupInvitesService.method;
  const { uid, code } = (await platform.call(
    createGroupInvite,
    create(createGroupInvite.input, { parent, groupInvite: { roleUid: role, ttl: { seconds: 60n } } }),
  )) as GroupInvite;
  expect(code).not.toBe("");
  const read = (await platform.call(getGroupInvite, create(getGroupInvite.input, { uid }))) as GroupInvite;
  expect(read.code).toBe("");

  // The search finds stored values that are not secret.
  expect(platform.stores("the-client-id")).toBe(true);
  for (const secret of ["the-first-secret", "the-second-secret", code, code.slice(17)])
    expect(platform.stores(secret), secret).toBe(false);
  await platform.close();
});
