import { expect, it } from "vitest";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";

describeWithSystem(
  "a cluster whose keys the operator uploads",
  (system) => {
    it("a service account's token is exchanged, and the platform has the keys that the API server publishes", async () => {
      const { admin, root, controlPlane } = system();
      const kube = controlPlane.admin;
      const manifest = musterObject("Identity", "team", "checkout", {
        groupUid: root,
        serviceAccountRef: { name: "checkout" },
      });
      await kube.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "checkout", namespace: "team" } });
      await kube.apply(manifest);
      const { uid, exchange } = (await system().ready(manifest))["status"];

      const external = (await admin.list("identities")).find((one) => one.uid === uid) as unknown as {
        readonly staticKeys: { readonly issuerKeys: string; readonly issuer: string };
      };
      expect(external.staticKeys.issuer).toBe(controlPlane.url);
      const published = (await kube.request("GET", "/openid/v1/jwks")) as { readonly keys: readonly { kid: string }[] };
      const uploaded = JSON.parse(external.staticKeys.issuerKeys) as typeof published;
      expect(uploaded.keys).toMatchObject(published.keys);

      const token = await kube.createToken("team", "checkout", { audiences: [exchange.audience] });
      const query = new URLSearchParams({ identity: uid, aud: exchange.apiAudience });
      const response = await fetch(`${exchange.url}?${query.toString()}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(response.status, await response.clone().text()).toBe(200);
    });
  },
  { operatorFlags: ["--service-account-keys", "upload"] },
);
