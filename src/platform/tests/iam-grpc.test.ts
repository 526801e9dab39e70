import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AccountAssociationsService } from "../gen/muster/platform/iam/v2beta1/account_association_pb.ts";
import { GroupInvitesService } from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { IdentityProvidersService } from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { IdentitiesService } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { RoleBindingsService } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
let viewer: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
  viewer = await platform.admin.role("viewer");
});
afterAll(() => platform.stop());

const transport = () => createGrpcTransport({ baseUrl: platform.url });
const asAdmin = () => ({ headers: { authorization: `Bearer ${platform.admin.token}` } });

describe("the IAM domain over gRPC", () => {
  it("identity providers: without a mask, an empty secret keeps the old one; none is ever answered", async () => {
    const providers = createClient(IdentityProvidersService, transport());
    const value = { issuer: "https://login.example.com", clientId: "c", clientSecret: "s3cret" };
    const identityProvider = { name: "p", defaultRole: viewer, configuration: { case: "oidc", value } } as const;
    const made = await providers.createIdentityProvider({ parent: team, identityProvider }, asAdmin());
    expect(made.configuration.value?.clientSecret).toBe("");
    const patch = { uid: made.uid, configuration: { case: "oidc", value: { clientId: "d" } } } as const;
    const changed = await providers.updateIdentityProvider({ identityProvider: patch }, asAdmin());
    expect(changed.configuration.value).toMatchObject({ clientId: "d", clientSecret: "", issuer: value.issuer });
    const clearing = { identityProvider: { uid: made.uid }, updateMask: { paths: ["oidc.client_secret"] } };
    await expect(providers.updateIdentityProvider(clearing, asAdmin())).rejects.toMatchObject({
      code: Code.InvalidArgument,
    });
    const { identityProviders, totalCount } = await providers.listIdentityProviders({ name: "p" }, asAdmin());
    expect(identityProviders.map(({ configuration }) => configuration.value?.clientSecret)).toEqual([""]);
    expect(totalCount).toBe(1n);
  });

  it("account associations: maps of 64-bit keys come back", async () => {
    const associations = createClient(AccountAssociationsService, transport());
    const installations = [{ installationId: 9_007_199_254_740_993n, name: "org" }];
    const accountAssociation = { name: "a", github: { appInstallations: { "7": { installations } } } };
    const request = { parent: team, accountAssociation };
    expect(await associations.createAccountAssociation(request, asAdmin())).toMatchObject({ uid: team });
    expect(await associations.getAccountAssociation({ uid: team }, asAdmin())).toMatchObject(accountAssociation);
    const again = await associations
      .createAccountAssociation(request, asAdmin())
      .catch((thrown: unknown) => ConnectError.from(thrown));
    expect(again).toMatchObject({ code: Code.AlreadyExists });
  });

  it("group invites: the code once, and what cannot be changed is refused, not ignored", async () => {
    const invites = createClient(GroupInvitesService, transport());
    const made = await invites.createGroupInvite(
      { parent: team, groupInvite: { roleUid: viewer, ttl: { seconds: 60n } } },
      asAdmin(),
    );
    expect(made.code).toContain(made.keyId);
    expect(made.ttl).toBeUndefined();
    const { uid } = made;
    expect(await invites.getGroupInvite({ uid }, asAdmin())).toMatchObject({ uid, code: "", role: { name: "viewer" } });
    const groupInvite = { uid, roleUid: await platform.admin.role("owner"), email: "a@example.com" };
    await expect(invites.updateGroupInvite({ groupInvite }, asAdmin())).rejects.toMatchObject({
      code: Code.InvalidArgument,
    });
    expect(await invites.getGroupInvite({ uid }, asAdmin())).toMatchObject({ roleUid: viewer, email: "" });
  });

  it("BatchCreateRoleBindings and LookupIdentity", async () => {
    const identityUid = await platform.admin.identity(team, "looked-up");
    const request = { issuer: "https://issuer.example.com", subject: "looked-up" };
    expect(await createClient(IdentitiesService, transport()).lookupIdentity(request, asAdmin())).toMatchObject({
      uid: identityUid,
    });
    const bindings = createClient(RoleBindingsService, transport());
    const { roleBindings } = await bindings.batchCreateRoleBindings(
      { parent: team, roleUid: viewer, requests: [{ roleBinding: { identityUid } }, { roleBinding: { identityUid } }] },
      asAdmin(),
    );
    expect(roleBindings.map(({ identity, identityUid: uid }) => [identity?.uid, uid])).toEqual([
      [identityUid, ""],
      [identityUid, ""],
    ]);
  });
});
