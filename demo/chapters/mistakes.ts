import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { conditionOf, musterObject } from "#test/support/harness/muster-objects.ts";
import type { Chapter } from "../chapter.ts";
import { nameOf } from "../watched-objects.ts";

export const mistakes: Chapter = {
  title: "Make two mistakes",
  introduction:
    "An invalid manifest gets a message that says how to fix it, and no manifest can grant a role that the Tenant of its namespace does not allow.",
  run: async (stage, screen) => {
    const invalid = musterObject("Identity", stage.namespace, "two-ways", {
      groupRef: { name: "shop" },
      claimMatch: { issuer: "https://issuer.example.com", subject: "robot" },
      serviceAccountRef: { name: "robot" },
    });
    screen.say("An Identity with two ways to assume it. The API server rejects it:");
    const rejection = await stage.during(
      "applying an invalid manifest",
      10,
      stage.kube.create(invalid).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    if (!(rejection instanceof KubeError && rejection.code === 422))
      throw new Error(
        `the API server must reject ${nameOf(invalid)} as invalid, but the result was: ${String(rejection)}`,
      );
    screen.say(`✗ ${rejection.message.slice(rejection.message.indexOf(": ") + 2)}`, { style: "yellow", indent: 4 });

    const forbidden = musterObject("RoleBinding", stage.namespace, "builds-own", {
      groupRef: { name: "shop" },
      identityRef: { name: "builds" },
      roleRef: { name: "owner" },
    });
    screen.say("A RoleBinding with the role owner. It is valid, but the Tenant does not allow this role:");
    await stage.during("applying RoleBinding builds-own", 10, stage.kube.create(forbidden));
    const ready = () => conditionOf(stage.objects.get(nameOf(forbidden)), "Ready");
    await stage.during(
      "waiting until RoleBinding builds-own is denied",
      10,
      stage.objects.until(() => ready()?.status === "False"),
    );
    const { reason, message } = ready() ?? {};
    screen.say(`✗ Ready=False, ${reason}: ${message}`, { style: "yellow", indent: 4 });
    const bindings = await stage.during(
      "listing the platform",
      10,
      stage.platform.list("roleBindings", stage.system.root),
    );
    const builds = stage.objects.get("Identity builds")?.["status"].uid;
    if (bindings.some(({ role, identity }) => role?.name === "owner" && identity?.uid === builds))
      throw new Error("the identity builds has the role owner on the platform");
    await stage.during("deleting RoleBinding builds-own", 10, stage.kube.delete(forbidden));
    await stage.during(
      "waiting until RoleBinding builds-own is deleted",
      10,
      stage.objects.until(() => stage.objects.get(nameOf(forbidden)) === undefined),
    );
    return [{ step: "apply two wrong manifests", result: "rejected" }];
  },
};
