import { expect, it, vi } from "vitest";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { conditionOf, isUnready, musterObject } from "#test/support/harness/muster-objects.ts";
import { secretGrant } from "#test/support/harness/secret-grant.ts";
import { clientSecret } from "#test/support/harness/secret-objects.ts";
import { readStoredSecrets } from "#test/support/harness/stored-secrets.ts";
import { permissiveTenant } from "#test/support/harness/tenants.ts";

const issuer = "https://accounts.example.com";
const planted = "planted-client-secret-77e1";
const rotated = "planted-client-secret-90b4";

describeWithSystem(
  "an identity provider",
  (system) => {
    const kube = () => system().controlPlane.admin;
    const secret = (value: string) => clientSecret("team", "login", issuer, value);
    const spec = { groupRef: { name: "shop" }, issuer, clientId: "muster", defaultRoleRef: { name: "viewer" } };
    const provider = musterObject("IdentityProvider", "team", "people", {
      ...spec,
      clientSecretRef: { name: "login" },
    });
    const external = async () => {
      const [found] = await system().admin.list("identityProviders", system().root);
      return found;
    };
    const storedSecret = async () => readStoredSecrets(system().platformDataFile).get((await external())?.uid ?? "");

    it("gets its client secret once the Role that the condition prints exists", async () => {
      system().secrets.push(planted, rotated);
      const group = musterObject("Group", "team", "shop", { parentUid: system().root });
      await kube().apply(group);
      await kube().apply(secret(planted));
      await kube().apply(provider);
      const refused = await system().waitFor(provider, isUnready("KubernetesForbidden"));
      const { message } = conditionOf(refused, "Ready") ?? { message: "" };
      expect(await external()).toBeUndefined();
      // The commands, as the objects that kubectl makes of them.
      const [, role = "", name = "", account = ""] =
        /kubectl create role -n team (\S+) --verb=get --resource=secrets --resource-name=(\S+) && kubectl create rolebinding -n team \1 --role=\1 --serviceaccount=(\S+)$/.exec(
          message,
        ) ?? [];
      expect([role, name]).toEqual(["muster-secret-login", "login"]);
      const [namespace = "", serviceAccount = ""] = account.split(":");
      const operator = { namespace, name: serviceAccount };
      for (const object of secretGrant({ namespace: "team", name }, ["get"], operator)) await kube().apply(object);
      await system().ready(provider, 60_000);
      expect(await external()).toMatchObject({
        name: "people",
        oidc: { issuer, clientId: "muster", pkceEnabled: true },
      });
      expect(await storedSecret()).toBe(planted);
    });

    it("gets the secret again after the Secret changed, and loses it with the reference", async () => {
      await kube().apply(secret(rotated));
      await kube().patch(provider, {
        metadata: { annotations: { "iam.muster.dev/reconcile-requested-at": "after the rotation" } },
      });
      await kube().waitFor(provider, (object) => object?.["status"].lastHandledReconcileAt === "after the rotation");
      expect(await storedSecret()).toBe(rotated);
      await kube().patch(provider, { spec: { clientSecretRef: null } });
      await system().ready(provider);
      const shown = await kube().waitFor(provider, (object) => object?.["status"].secret === undefined);
      expect(shown?.["status"].drift).toBeUndefined();
      expect(await storedSecret()).toBe("");
    });

    it("gets its default role back after somebody changed it", async () => {
      const before = await external();
      const roles = await system().admin.list("roles");
      const owner = roles.find(({ name }) => name === "owner")?.uid;
      await system().admin.update("identityProviders", before?.uid ?? "", { defaultRole: owner });
      const isRestored = async () => expect((await external())?.["defaultRole"]).toBe(before?.["defaultRole"]);
      await vi.waitFor(isRestored, 30_000);
    });

    it("is deleted with its object", async () => {
      await kube().delete(provider);
      await kube().waitFor(provider, (object) => object === undefined);
      expect(await external()).toBeUndefined();
    });
  },
  {
    operatorFlags: ["--resync", "5s", "--log-level", "debug"],
    platformFlags: ["--log-level", "debug"],
    tenants: (root, namespaces) => [
      permissiveTenant("test", {
        namespaces,
        groups: [root],
        roles: ["viewer"],
        kinds: ["Group", "IdentityProvider"],
      }),
    ],
  },
);
