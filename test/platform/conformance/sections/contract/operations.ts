import { type CollectionName, collections } from "../../client/collections.ts";
import { equal, rejected, succeeded } from "../../expect.ts";
import { contractSection, overBoth, requirement, untested } from "../../requirement.ts";
import type { World } from "../../world.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };
const oidc = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };

/** The bodies of a Create and of a following Update for each IAM resource. */
async function bodies(world: World) {
  const [viewer, editor] = [await world.builtInRole("viewer"), await world.builtInRole("editor")];
  const identityUid = await world.makeIdentity(await world.makeGroup());
  return {
    groups: [{ name: "a" }, { description: "d" }],
    identities: [{ name: "a", claimMatch }, { description: "d" }],
    roles: [{ name: "a", capabilities: ["CAP_REPO_LIST"] }, { description: "d" }],
    roleBindings: [{ identityUid, roleUid: viewer }, { roleUid: editor }],
    identityProviders: [{ name: "a", defaultRole: viewer, oidc }, { description: "d" }],
    accountAssociations: [{ name: "a" }, { description: "d" }],
    groupInvites: [{ roleUid: viewer, ttl: "600s" }, { email: "somebody@example.com" }],
  } as const satisfies Partial<Record<CollectionName, readonly [create: object, update: object]>>;
}

/** Section 4.8. */
export const operations = contractSection("4.8 Operations by domain", [
  requirement(
    "4.8.iam",
    "IAM: Groups, Identities, Roles, RoleBindings, IdentityProviders, AccountAssociations, GroupInvites: List, Get, Create, Update, Delete.",
    overBoth(async (world) => {
      const { api } = world;
      for (const [name, [create, update]] of Object.entries(await bodies(world))) {
        const collection = name as CollectionName;
        const group = await world.makeGroup();
        const { uid } = succeeded(await api.create(collection, group, create), `a Create of ${name}`);
        equal(
          succeeded(await api.get(collection, uid), `a Get of ${name}`).uid,
          uid,
          `the uid in the response to a Get of ${name}`,
        );
        const listed = await world.list(collection, { uidp: { childrenOf: group } });
        equal(
          listed.map((row) => row.uid),
          [uid],
          `the List of ${name}`,
        );
        succeeded(await api.update(collection, uid, update), `an Update of ${name}`);
        succeeded(await api.delete(collection, uid), `a Delete of ${name}`);
        rejected(await api.get(collection, uid), { code: 5 }, `a Get of ${name} after the Delete`);
      }
    }),
  ),
  requirement(
    "4.8.registry-and-vulnerabilities",
    "Registry: Repos, Tags: List, Get. Vulnerabilities: Advisories: List, Get.",
    overBoth(async ({ api, group }) => {
      for (const name of ["repos", "tags", "advisories"] as const) {
        succeeded(await api.list(name, { pageSize: 1 }), `a List of ${name}`);
        rejected(await api.get(name, `${group}/${"0".repeat(16)}`), { code: 5 }, `a Get of ${name}`);
      }
    }),
  ),
  requirement(
    "4.authorization",
    "Every request carries the `Authorization: Bearer <ACCESS_TOKEN>` header.",
    overBoth(async (world) => {
      const nobody = world.as(undefined);
      const missing = `${world.group}/${"0".repeat(16)}`;
      for (const name of Object.keys(collections) as CollectionName[]) {
        rejected(await nobody.list(name), { code: 16 }, `a List of ${name}`);
        rejected(await nobody.get(name, missing), { code: 16 }, `a Get of ${name}`);
      }
      for (const name of Object.keys(await bodies(world)) as CollectionName[]) {
        rejected(await nobody.create(name, world.group, {}), { code: 16 }, `a Create of ${name}`);
        rejected(await nobody.update(name, missing, {}), { code: 16 }, `an Update of ${name}`);
        rejected(await nobody.delete(name, missing), { code: 16 }, `a Delete of ${name}`);
      }
    }),
  ),
  untested(
    "6",
    "Events sent by the service: not shown.",
    "the contract leaves it open, and this project has not decided it",
  ),
]);
