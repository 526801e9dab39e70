import { beforeAll, describe, expect, it } from "vitest";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { conditionOf, isUnready, type MusterKind, musterObject } from "#test/support/harness/muster-objects.ts";
import {
  accomplice,
  attacker,
  build,
  credentialsInTurn,
  disclosures,
  everything,
  github,
  issuer,
  stranger,
  victim,
  type World,
} from "./escalation-world.ts";

const keys = { issuerKeys: '{"keys":[]}', audiences: ["muster"] };
const aws = { arnPattern: ".*", userIdPattern: ".*" };

interface Attempt {
  readonly what: string;
  readonly kind: MusterKind;
  /** @param name the name of the object. */
  readonly spec: (world: World, name: string) => object;
  readonly reason: string;
  /** Whether the references are permitted, so that what exists on the platform decides. */
  readonly resolves?: boolean;
}

const group = (what: string, reason: string, spec: Attempt["spec"]): Attempt => ({ what, kind: "Group", spec, reason });
const identity = (what: string, reason: string, spec: Attempt["spec"]): Attempt => ({
  what,
  kind: "Identity",
  spec: (world, name) => ({ groupUid: world.own, ...spec(world, name) }),
  reason,
});
const binding = (what: string, reason: string, spec: Attempt["spec"]): Attempt => ({
  what,
  kind: "RoleBinding",
  spec: (world, name) =>
    withDefaults({ groupUid: world.own, identityUid: world.robot, roleRef: { name: "viewer" } }, spec(world, name)),
  reason,
});

/** `spec`, with the defaults of the references that it does not make in another way. */
function withDefaults(defaults: Record<string, unknown>, spec: object): object {
  const stems = Object.keys(spec).map((field) => field.replace(/(Ref|Uid)$/, ""));
  const missing = Object.entries(defaults).filter(([field]) => !stems.includes(field.replace(/(Ref|Uid)$/, "")));
  return { ...Object.fromEntries(missing), ...spec };
}

const claim = (fields: object) => ({ claimMatch: { issuer, subject: "attic:x", ...fields } });
const pattern = (subjectPattern: string) => ({ claimMatch: { issuer, subjectPattern } });
/** The same length, with another last digit. */
const lookAlike = (uid: string) => uid.slice(0, -1) + (uid.endsWith("0") ? "1" : "0");

const denied = "TenantDenied";
const notGranted = "ReferenceNotGranted";
const notFound = "ReferenceNotFound";

/** The references are permitted, but what exists on the platform may not be taken. */
const existing = (attempt: Attempt): Attempt => ({ ...attempt, resolves: true });
/** As `uid`, below a root whose uid differs in its last digit. */
const inSiblingRoot = (uid: string) => lookAlike(uid.slice(0, 40)) + uid.slice(40);

const attempts: readonly Attempt[] = [
  // What exists in the attacker's own group, without the permission to adopt.
  existing(
    group("a group to adopt by its name", denied, ({ own }) => ({
      parentUid: own,
      name: "unmanaged",
      policy: { adoption: "IfExists" },
    })),
  ),
  existing(group("a group to adopt by its uid", denied, ({ own, unmanaged }) => ({ parentUid: own, uid: unmanaged }))),
  existing(group("a group by its name", "Conflict", ({ own }) => ({ parentUid: own, name: "unmanaged" }))),
  existing(
    identity("an identity to adopt by its name", denied, () => ({
      name: "robot",
      ...claim({}),
      policy: { adoption: "IfExists" },
    })),
  ),
  existing(identity("an identity to adopt by its uid", denied, ({ robot }) => ({ uid: robot, ...claim({}) }))),
  existing(
    identity("an identity for emergencies to adopt by its uid", denied, ({ emergency }) => ({
      uid: emergency,
      ...claim({}),
    })),
  ),
  existing(binding("a role binding to adopt by its uid", denied, ({ robotBinding }) => ({ uid: robotBinding }))),
  existing(
    binding("the role binding of an identity for emergencies", "Conflict", ({ emergency }) => ({
      identityUid: emergency,
    })),
  ),
  existing(
    binding("the same, to end it", "Expired", ({ emergency }) => ({
      identityUid: emergency,
      expiresAt: "2020-01-01T00:00:00Z",
    })),
  ),
  // A sibling of the root.
  group("a group in a sibling root", denied, ({ own }) => ({ parentUid: inSiblingRoot(own) })),
  group("a group in a sibling root to adopt", denied, ({ own, unmanaged }) => ({
    parentUid: inSiblingRoot(own),
    uid: inSiblingRoot(unmanaged),
  })),
  group("a group in a sibling root, observed", denied, ({ unmanaged }) => ({
    uid: inSiblingRoot(unmanaged),
    policy: { management: "Observe" },
  })),
  identity("an identity in a sibling root", denied, ({ own, robot }) => ({
    groupUid: inSiblingRoot(own),
    uid: inSiblingRoot(robot),
    ...claim({}),
  })),
  binding("a grant to an identity in a sibling root", denied, ({ robot }) => ({ identityUid: inSiblingRoot(robot) })),
  binding("a look-alike of a permitted role by uid", denied, ({ viewerRole }) => ({ roleUid: lookAlike(viewerRole) })),
  // Groups of others, by uid.
  group("a group below the root", denied, ({ root }) => ({ parentUid: root })),
  group("a group below the other Tenant's group", denied, ({ foreign }) => ({ parentUid: foreign })),
  group("a group below the other Tenant's managed group", denied, ({ vault }) => ({ parentUid: vault })),
  group("a group below one that the other Tenant shares with others", denied, ({ shared }) => ({ parentUid: shared })),
  group("a group below a look-alike of its own group", denied, ({ own }) => ({ parentUid: lookAlike(own) })),
  group("a group below another root", denied, () => ({ parentUid: "f".repeat(40) })),
  group("the other Tenant's group itself", denied, ({ foreign, vault }) => ({ parentUid: foreign, uid: vault })),
  group("the root group, observed", denied, ({ root }) => ({ uid: root, policy: { management: "Observe" } })),
  group("the other Tenant's group, observed", denied, ({ foreign, vault }) => ({
    parentUid: foreign,
    uid: vault,
    policy: { management: "Observe" },
  })),
  group("the other Tenant's group, observed without its parent", denied, ({ vault }) => ({
    uid: vault,
    policy: { management: "Observe" },
  })),
  group("its own Tenant's group as a managed one", denied, ({ root, own }) => ({ parentUid: root, uid: own })),
  group("the other Tenant's group, to orphan it", denied, ({ foreign, vault }) => ({
    parentUid: foreign,
    uid: vault,
    policy: { deletion: "Orphan" },
  })),
  group("the other Tenant's group, to adopt it by name", denied, ({ foreign }) => ({
    parentUid: foreign,
    name: "vault",
    policy: { adoption: "IfExists" },
  })),
  // Groups of others, by reference.
  group("a group below an object of another Tenant", notGranted, () => ({
    parentRef: { name: "vault", namespace: victim },
  })),
  group("a group below an object that does not exist there", notGranted, () => ({
    parentRef: { name: "none", namespace: victim },
  })),
  group("a group below an object shared with its accomplice only", notGranted, () => ({
    parentRef: { name: "shared", namespace: victim },
  })),
  group("a group below an object in a namespace without a Tenant", notGranted, () => ({
    parentRef: { name: "planted", namespace: stranger },
  })),
  group("a group below an object in a namespace that does not exist", notGranted, () => ({
    parentRef: { name: "x", namespace: "no-such-namespace" },
  })),
  group("a group below itself", "InvalidSpec", (_, name) => ({ parentRef: { name } })),
  group("a group below an object of its accomplice that does not exist", notFound, () => ({
    parentRef: { name: "vault", namespace: accomplice },
  })),
  // Identities of others.
  identity("an identity in the root group", denied, ({ root }) => ({ groupUid: root, ...claim({}) })),
  identity("an identity in the other Tenant's group", denied, ({ foreign }) => ({ groupUid: foreign, ...claim({}) })),
  identity("an identity in the other Tenant's managed group", denied, ({ vault }) => ({
    groupUid: vault,
    ...claim({}),
  })),
  identity("the other Tenant's identity, with its own claims", denied, ({ vault, vaultIdentity }) => ({
    groupUid: vault,
    uid: vaultIdentity,
    ...claim({}),
  })),
  identity("the operator's own identity", denied, ({ root, operator }) => ({
    groupUid: root,
    uid: operator,
    ...claim({}),
  })),
  identity("an identity that is in the group of its own, as one of the root", denied, ({ root, robot }) => ({
    groupUid: root,
    uid: `${root}/${robot.slice(-16)}`,
    ...claim({}),
  })),
  // Who may assume an identity.
  identity("an issuer that the Tenant does not list", denied, () => claim({ issuer: "https://evil.example" })),
  identity("an issuer that differs in a slash", denied, () => claim({ issuer: `${issuer}/` })),
  identity("an issuer in capitals", denied, () => claim({ issuer: "https://ISSUER.example" })),
  identity("an issuer over http", denied, () => claim({ issuer: "http://issuer.example" })),
  identity("a pattern of all issuers", denied, () => ({ claimMatch: { issuerPattern: ".*", subject: "attic:x" } })),
  identity("a listed issuer as a pattern", denied, () => ({
    claimMatch: { issuerPattern: "https://issuer[.]example", subject: "attic:x" },
  })),
  identity("another subject", denied, () => claim({ subject: "vault:ci" })),
  identity("a subject that contains the prefix later", denied, () => claim({ subject: "x-attic:x" })),
  identity("a subject that looks like a service account", denied, () =>
    claim({ subject: `system:serviceaccount:${victim}:ci` }),
  ),
  identity("a pattern of all subjects", denied, () => pattern(".*")),
  identity("a pattern with a stray alternative", denied, () => pattern("attic:.*|vault:.*")),
  identity("a pattern with an alternative in a group", denied, () => pattern("(attic|vault):.*")),
  identity("a pattern with an optional prefix", denied, () => pattern("(attic:)?.*")),
  identity("a pattern that repeats the prefix any number of times", denied, () => pattern("(attic:)*.*")),
  identity("a pattern that ignores the case", denied, () => pattern("(?i)attic:.*")),
  identity("a pattern with a class", denied, () => pattern("[av][ta][tu][il][ct]:?.*")),
  identity("a pattern with an escape", denied, () => pattern("\\x76ault:.*")),
  identity("a pattern that quotes", denied, () => pattern("\\Qattic\\E.*")),
  identity("a pattern whose prefix a quantifier after an empty quote makes optional", denied, () =>
    pattern("(?:attic:)\\Q\\E?vault:.*"),
  ),
  identity("a pattern at a public issuer without prefixes", denied, () => ({
    claimMatch: { issuer: github, subjectPattern: "repo:.*" },
  })),
  identity("the cluster's issuer with its own service account", denied, ({ cluster }) =>
    claim({ issuer: cluster, subject: `system:serviceaccount:${attacker}:x` }),
  ),
  identity("the cluster's issuer with the other Tenant's service account", denied, ({ cluster }) =>
    claim({ issuer: cluster, subject: `system:serviceaccount:${victim}:ci` }),
  ),
  identity("the cluster's issuer with the operator's service account", denied, ({ cluster }) =>
    claim({ issuer: cluster, subject: "system:serviceaccount:muster-system:muster-operator" }),
  ),
  identity("static keys under an issuer that is not listed", denied, () => ({
    staticKeys: { issuer: "https://evil.example", subject: "attic:x", ...keys },
  })),
  identity("static keys under a listed issuer with another subject", denied, () => ({
    staticKeys: { issuer, subject: "vault:ci", ...keys },
  })),
  identity("static keys that stand for the cluster", denied, ({ cluster }) => ({
    staticKeys: { issuer: cluster, subject: `system:serviceaccount:${victim}:ci`, ...keys },
  })),
  identity("a type that the Tenant does not list", denied, () => ({
    awsIdentity: { awsAccount: "123456789012", ...aws },
  })),
  // Grants.
  binding("a grant in the root group", denied, ({ root }) => ({ groupUid: root })),
  binding("a grant in the other Tenant's group", denied, ({ foreign }) => ({ groupUid: foreign })),
  binding("a grant in the other Tenant's managed group", denied, ({ vault }) => ({ groupUid: vault })),
  binding("a grant in the other Tenant's group by reference", notGranted, () => ({
    groupRef: { name: "vault", namespace: victim },
  })),
  binding("a role by name", denied, () => ({ roleRef: { name: "owner" } })),
  binding("a role by uid", denied, ({ ownerRole }) => ({ roleUid: ownerRole })),
  binding("a role that only the operator's settings allow", denied, () => ({ roleRef: { name: "editor" } })),
  binding("that role by uid", denied, ({ editorRole }) => ({ roleUid: editorRole })),
  binding("a custom role with the name of a permitted one", denied, ({ fakeViewer }) => ({ roleUid: fakeViewer })),
  binding("a role that does not exist", notFound, () => ({ roleRef: { name: "emperor" } })),
  binding("a grant to the other Tenant's identity", denied, ({ vaultIdentity }) => ({ identityUid: vaultIdentity })),
  binding("a grant to it by reference", notGranted, () => ({ identityRef: { name: "vault", namespace: victim } })),
  binding("a grant to the operator's identity", denied, ({ operator }) => ({ identityUid: operator })),
  binding("a grant to a look-alike of an identity of its own", denied, ({ foreign, robot }) => ({
    identityUid: `${foreign}/${robot.slice(-16)}`,
  })),
  binding("the other Tenant's grant", denied, ({ vault, vaultIdentity, vaultBinding }) => ({
    groupUid: vault,
    identityUid: vaultIdentity,
    uid: vaultBinding,
  })),
  binding("the other Tenant's grant, expired", "Expired", ({ vault, vaultIdentity, vaultBinding }) => ({
    groupUid: vault,
    identityUid: vaultIdentity,
    uid: vaultBinding,
    expiresAt: "2020-01-01T00:00:00Z",
  })),
  binding("the other Tenant's grant, observed", denied, ({ vault, vaultIdentity }) => ({
    groupUid: vault,
    identityUid: vaultIdentity,
    policy: { management: "Observe" },
  })),
];

const finalizer = "iam.muster.dev/external";
/** Whether the operator reported an outcome of the deletion. */
const isConcluded = (object: KubeObject) => !["Paused", undefined].includes(conditionOf(object, "Ready")?.reason);
const nameOf = (index: number) => `attempt-${index}`;

describe.each(credentialsInTurn)("privilege escalation with the credentials of %s", (credentials) => {
  describeWithSystem(
    "by a namespace editor",
    (system) => {
      const kube = () => system().controlPlane.admin;
      const objectOf = ({ kind, spec }: Attempt, index: number) =>
        musterObject(kind, attacker, nameOf(index), spec(world, nameOf(index)));
      let world: World;
      let before: unknown;

      beforeAll(async () => {
        world = await build(system(), credentials);
        before = await everything(system());
        for (const [index, attempt] of attempts.entries()) await kube().apply(objectOf(attempt, index));
      });

      it("makes at least 80 attempts", () => {
        expect(attempts.length).toBeGreaterThanOrEqual(80);
      });

      describe("is refused:", () => {
        it.each(attempts.map((attempt, index) => ({ ...attempt, index })))(
          "$what",
          async ({ index, reason, resolves, ...attempt }) => {
            const shown = await system().waitFor(objectOf({ reason, ...attempt }, index), isUnready(reason));
            expect(conditionOf(shown, "ReferencesResolved")?.status === "True").toBe(resolves === true);
            expect(shown?.["status"]?.uid).toBeUndefined();
            expect(disclosures(shown, world)).toEqual([]);
          },
        );
      });

      it("writes nothing to the platform", async () => {
        expect(await everything(system())).toEqual(before);
      });

      it("deletes nothing of others when the attempts are deleted", async () => {
        for (const [index, attempt] of attempts.entries()) await kube().delete(objectOf(attempt, index));
        for (const [index, attempt] of attempts.entries()) await system().gone(objectOf(attempt, index));
        expect(await everything(system())).toEqual(before);
      });

      it("leaves alone what a forged status claims", async () => {
        const { own, robot, foreign, vault, vaultIdentity, vaultBinding } = world;
        const viewer = { roleRef: { name: "viewer" } };
        const forgeries: readonly [MusterKind, object, object][] = [
          ["Group", { parentUid: own }, { uid: vault, parentUid: foreign, management: "Created" }],
          ["Group", { parentUid: own }, { uid: foreign, parentUid: own, management: "Created" }],
          [
            "Identity",
            { groupUid: own, ...claim({}) },
            { uid: vaultIdentity, parentUid: vault, management: "Created" },
          ],
          ["RoleBinding", { groupUid: own, identityUid: robot, ...viewer }, { uid: vaultBinding, parentUid: vault }],
          [
            "RoleBinding",
            { groupUid: own, identityUid: robot, ...viewer },
            { uid: vaultBinding, parentUid: vault, identityUid: vaultIdentity },
          ],
        ];
        const objects = forgeries.map(([kind, spec], index) => ({
          ...musterObject(kind, attacker, `forgery-${index}`, { ...spec, policy: { deletion: "Delete" } }),
        }));
        for (const [index, object] of objects.entries()) {
          const { metadata } = object;
          const paused = { ...metadata, annotations: { "iam.muster.dev/paused": "true" }, finalizers: [finalizer] };
          await kube().apply({ ...object, metadata: paused });
          await kube().patch(object, { status: { observedGeneration: 1, ...forgeries[index]?.[2] } }, "status");
          await kube().delete(object);
          await kube().patch(object, { metadata: { annotations: null } });
        }
        for (const object of objects) await system().waitFor(object, (seen) => seen === undefined || isConcluded(seen));
        expect(await everything(system())).toEqual(before);
      });

      it("does not prevent what another Tenant granted", async () => {
        const granted = musterObject("Group", accomplice, "granted", {
          parentRef: { name: "shared", namespace: victim },
        });
        await kube().apply(granted);
        if (credentials !== "Operator") {
          // A credential of its own needs the platform's permission in that group, too.
          await system().waitFor(granted, isUnready("PermissionDenied"));
          await kube().delete(granted);
          await system().gone(granted);
          return;
        }
        const { status } = (await system().ready(granted)) as KubeObject & { status: { uid: string } };
        expect(status.uid.startsWith(`${world.foreign}/`)).toBe(true);
        await kube().delete(granted);
        await system().gone(granted);
      });
    },
    { namespaces: [victim, attacker, accomplice, stranger], tenants: () => [] },
  );
});
