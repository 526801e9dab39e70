import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { finalizer } from "#src/api/custom-resource.ts";
import { unreachableWebhook } from "#test/monitoring/unreachable-webhook.ts";
import { root } from "#test/node/try-out.ts";
import type { ObjectRef } from "#test/support/control-plane/kube-client.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import { permissiveTenant, tenantObject, tenantRef } from "#test/support/harness/tenants.ts";
import type { Installation } from "./installation.ts";

/** What makes alerts fire in a cluster. */
export interface AlertCause {
  readonly alerts: readonly string[];
  readonly make: (installation: Installation) => Promise<void>;
  /** Ends what would disturb the causes that follow. */
  readonly end?: (installation: Installation) => Promise<void>;
}

const namespace = "shop";
const group = (name: string, spec: object = {}) =>
  musterObject("Group", namespace, name, { parentRef: { name: namespace }, ...spec });

const applyGroups = async ({ admin }: Installation, count: number, prefix: string) => {
  for (let index = 0; index < count; index += 1) await admin.apply(group(`${prefix}-${index}`));
};

/** Faults of the platform, and what meets them. */
const fault = (alerts: readonly string[], rules: readonly string[], work?: AlertCause["make"]): AlertCause => ({
  alerts,
  make: async (installation) => {
    await installation.addFaults(rules);
    await work?.(installation);
  },
  end: (installation) => installation.clearFaults(),
});

const other = tenantRef("other");
const lost = group("lost", { parentRef: { name: "missing" } });
const clusterRole = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "muster-operator" },
} satisfies ObjectRef;

let rulesBefore: unknown;
const withoutPermission = async ({ admin }: Installation, resource: string) => {
  const rules: { resources?: string[] }[] = (await admin.get(clusterRole))["rules"];
  rulesBefore = rules;
  await admin.patch(clusterRole, {
    rules: rules.map((rule) =>
      rule.resources === undefined ? rule : { ...rule, resources: rule.resources.filter((one) => one !== resource) },
    ),
  });
};
const withPermissions = async ({ admin }: Installation) =>
  void (await admin.patch(clusterRole, { rules: rulesBefore }));

let database: DatabaseSync | undefined;

const bank = { apiVersion: "v1", kind: "Namespace", metadata: { name: "bank" } };
const waiting = musterObject("Group", "bank", "waiting", { parentUid: root });

/**
 * One cause after the other, in an installation whose settings are those of the test. `prometheus-postgresql.test.ts` has those that
 * need another installation.
 */
export const alertCauses: readonly AlertCause[] = [
  {
    alerts: ["MusterTenantNotReady"],
    make: async ({ admin }) => {
      await admin.apply(permissiveTenant("other", { namespaces: [namespace], groups: ["0".repeat(40)], roles: [] }));
    },
    end: async ({ admin }) => {
      await admin.delete(other);
      await admin.waitUntilGone(other);
    },
  },
  {
    alerts: ["MusterTenantCredentialsFail"],
    make: async ({ admin }) => {
      // The Tenant's service account does not exist.
      const { spec } = permissiveTenant("bank", { namespaces: ["bank"], groups: [root], roles: [] });
      const credentials = { type: "ServiceAccount", identityUid: `${root}/${"1".repeat(16)}` };
      await admin.apply(bank);
      await admin.apply(tenantObject("bank", { ...spec, credentials }));
      await admin.apply(waiting);
    },
    end: async ({ admin }) => {
      await admin.delete(waiting);
      await admin.waitUntilGone(waiting);
      await admin.delete(tenantRef("bank"));
      await admin.delete(bank);
      await admin.waitUntilGone(tenantRef("bank"));
    },
  },
  {
    alerts: ["MusterObjectNotReady"],
    make: async ({ admin }) => void (await admin.apply(lost)),
    end: ({ admin }) => admin.delete(lost),
  },
  {
    alerts: ["MusterPlatformExchangesRefused"],
    make: async ({ platform: { url } }) => {
      // A rate does not see what a counter begins with.
      for (const pauseMs of [0, 6_000]) {
        await sleep(pauseMs);
        for (let index = 0; index < 20; index += 1)
          await fetch(`${url}/sts/exchange?aud=x&identity=${"0".repeat(40)}`, {
            headers: { authorization: "Bearer not-a-token" },
          });
      }
    },
  },
  {
    alerts: ["MusterUndeclaredAccess"],
    make: async ({ platform }) => {
      const shop = (await platform.admin.list("groups")).find(({ name }) => name === namespace);
      await platform.admin.create("identities", shop?.uid ?? "", {
        name: "backdoor",
        claimMatch: { issuer: "https://issuer.example", subject: "backdoor" },
      });
    },
  },
  {
    alerts: ["MusterCompetingWriter"],
    make: async (installation) => {
      await applyGroups(installation, 12, "renamed");
      await installation.ready(12, (index) => group(`renamed-${index}`));
      for (const { uid, name } of await installation.platform.admin.list("groups"))
        if (name.startsWith("renamed-"))
          await installation.platform.admin.update("groups", uid, { name: `${name}-by-hand` });
    },
  },
  {
    alerts: ["MusterBreakerOpen"],
    make: async ({ platform }) => {
      for (const { uid, name } of await platform.admin.list("groups"))
        if (name.startsWith("renamed-")) await platform.admin.delete("groups", uid);
    },
    end: async ({ admin }) => {
      for (let index = 0; index < 12; index += 1) await admin.delete(group(`renamed-${index}`));
    },
  },
  {
    alerts: ["MusterReconcileErrors"],
    make: async (installation) => {
      await installation.admin.apply(unreachableWebhook);
      await applyGroups(installation, 12, "failing");
    },
    end: async (installation) => {
      await installation.admin.delete(unreachableWebhook);
      await installation.ready(12, (index) => group(`failing-${index}`));
    },
  },
  {
    alerts: ["MusterKubernetesRefuses"],
    make: async (installation) => {
      await withoutPermission(installation, "groups/status");
      await applyGroups(installation, 3, "refused");
    },
    end: withPermissions,
  },
  {
    alerts: ["MusterKindUnreadable"],
    make: async (installation) => {
      await withoutPermission(installation, "identities");
      await installation.scaleOperator(0);
      await installation.scaleOperator(1);
      // The next cause ends this pod. A panel with a rate of its failures needs two scrapes.
      await sleep(6_000);
    },
    end: withPermissions,
  },
  {
    alerts: ["MusterNoLeader"],
    make: (installation) => installation.scaleOperator(0),
  },
  {
    // The operator is still away, and therefore does not see that the object loses its finalizer and goes.
    alerts: ["MusterOrphans"],
    make: async (installation) => {
      const { admin } = installation;
      const forgotten = group("failing-0");
      const { finalizers = [] } = (await admin.get(forgotten)).metadata;
      await admin.patch(forgotten, { metadata: { finalizers: finalizers.filter((one) => one !== finalizer) } });
      await admin.delete(forgotten);
      await installation.scaleOperator(1);
    },
  },
  fault(["MusterQueueStuck"], ["method=*/CreateGroup,latency=15s"], (installation) =>
    applyGroups(installation, 6, "slow"),
  ),
  {
    // The fault has ended, and what waited becomes Ready.
    alerts: ["MusterSlow"],
    make: (installation) => installation.ready(6, (index) => group(`slow-${index}`)),
  },
  fault(["MusterPlatformSlow"], ["method=*,latency=1500ms"]),
  fault(["MusterResyncLate"], ["method=*/ListGroups,latency=60s"]),
  fault(
    ["MusterWritesSuspended"],
    ["Create*", "Update*", "Delete*"].map((name) => `method=*/${name},code=14`),
    (installation) => applyGroups(installation, 8, "unwritten"),
  ),
  fault(["MusterCallsSuspended", "MusterPlatformErrors", "MusterPlatformFaultInjection"], ["method=*,code=14"]),
  {
    alerts: ["MusterPlatformWritesFail"],
    make: async ({ platform: { admin, folder } }) => {
      // Another process locks the database, which is the same as a full disk for whoever writes.
      database = new DatabaseSync(`${folder}/platform.db`);
      database.exec("BEGIN IMMEDIATE");
      admin.create("groups", "", { name: "refused" }).catch(() => undefined);
    },
    end: async () => database?.close(),
  },
  {
    alerts: ["MusterPlatformDown"],
    make: (installation) => installation.scalePlatform(0),
    end: (installation) => installation.scalePlatform(1),
  },
];
