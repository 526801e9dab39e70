import { expect, it } from "vitest";
import { finalizer } from "#src/api/custom-resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { describeWithNewControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { examples } from "#test/support/harness/examples.ts";
import { isReady, isUnready, musterObject } from "#test/support/harness/muster-objects.ts";
import { allowedRoles, operatorAccount, System } from "#test/support/harness/system.ts";
import { permissiveTenant } from "#test/support/harness/tenants.ts";
import { loadOperatorRbac } from "./operator-rbac.ts";
import { permissionsOf, usedPermissions } from "./permissions.ts";

const account = { namespace: "muster-system", name: operatorAccount };
const user = `system:serviceaccount:${account.namespace}:${account.name}`;

/** Granted, and not used by this test, each for the reason that is given. The test fails once it uses one of them. */
const unused = [
  // It repeats no event.
  "patch events.events.k8s.io",
  // Not a request. The admission policies ask for it.
  "operate tenants.iam.muster.dev",
  "get tenants.iam.muster.dev",
  ...kinds.map(({ definition: { plural } }) => `get ${plural}.iam.muster.dev`),
];

/** The example of its kind has a Secret, which the operator may not read without a Role of its own. */
const peopleOf = (root: string) =>
  musterObject("IdentityProvider", "shop", "people", {
    groupUid: root,
    issuer: "https://accounts.example.com",
    clientId: "muster",
    defaultRoleRef: { name: "viewer" },
  });

/** The example of its kind has one, too. This one is not created, and has a finalizer to remove. */
const expiredInvite = (root: string) => {
  const invite = musterObject("GroupInvite", "shop", "late", {
    groupUid: root,
    roleRef: { name: "viewer" },
    expiresAt: "2020-01-01T00:00:00Z",
    secretRef: { name: "late" },
  });
  return { ...invite, metadata: { ...invite.metadata, finalizers: [finalizer] } };
};

describeWithNewControlPlane(
  "the permissions of the deployed operator",
  (controlPlane) => {
    it("are all used, and none is missing", async () => {
      const { admin } = controlPlane();
      const rbac = await loadOperatorRbac();
      const system = await System.start({
        controlPlane: controlPlane(),
        namespaces: ["shop"],
        rbac,
        tenants: (root, namespaces) => [
          permissiveTenant("test", {
            namespaces,
            groups: [root],
            roles: allowedRoles,
            kinds: kinds.map(({ name }) => name),
          }),
        ],
      });
      try {
        const operator = await system.startOperator();
        const objects = [
          ...(await examples(system.root)),
          ...(await examples(system.root, "roles/")),
          ...(await examples(system.root, "accounts/")),
          peopleOf(system.root),
        ];
        for (const object of objects) await admin.apply(object);
        for (const object of objects) await admin.waitFor(object, isReady);
        const invite = expiredInvite(system.root);
        await admin.apply(invite);
        await admin.waitFor(invite, isUnready("Expired"));
        objects.push(invite);
        for (const object of objects) await admin.delete(object);
        for (const object of objects) await admin.waitUntilGone(object);
        await operator.process.stop();
      } finally {
        await system.stop();
      }

      const counts = (await controlPlane().requestCounts()).filter((row) => row.user === user);
      expect(counts.filter(({ code }) => code === 401 || code === 403)).toEqual([]);
      const granted = rbac(account).flatMap(permissionsOf);
      const mustBeUsed = [...new Set(granted)].filter((permission) => !unused.includes(permission));
      expect(usedPermissions(counts)).toEqual(mustBeUsed.toSorted());
    });
  },
  { audit: true },
);
