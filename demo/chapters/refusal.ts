import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { conditionOf, musterObject } from "#test/support/harness/muster-objects.ts";
import type { Chapter } from "../chapter.ts";
import { nameOf } from "../watched-objects.ts";

export const refusal: Chapter = {
  title: "Make two mistakes",
  about: "A wrong manifest gets a sentence that tells the mend, and nobody can grant more than was allowed.",
  play: async (stage, screen) => {
    const invalid = musterObject("Identity", stage.namespace, "two-ways", {
      groupRef: { name: "shop" },
      claimMatch: { issuer: "https://issuer.example.com", subject: "robot" },
      serviceAccountRef: { name: "robot" },
    });
    screen.say("An Identity that is two things at once. The API server refuses it:");
    const refused = await stage.during(
      "applying a wrong manifest",
      10,
      stage.kube.create(invalid).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    if (!(refused instanceof KubeError && refused.code === 422))
      throw new Error(`${nameOf(invalid)} should have been refused, but the API server answered: ${String(refused)}`);
    screen.say(`✗ ${refused.message.slice(refused.message.indexOf(": ") + 2)}`, { style: "yellow", indent: 4 });

    const greedy = musterObject("RoleBinding", stage.namespace, "builds-own", {
      groupRef: { name: "shop" },
      identityRef: { name: "builds" },
      roleRef: { name: "owner" },
    });
    screen.say(
      "A RoleBinding that makes the builds owner. It is well-formed, but no role that this operator may bind:",
    );
    await stage.during("applying RoleBinding builds-own", 10, stage.kube.create(greedy));
    const ready = () => conditionOf(stage.objects.get(nameOf(greedy)), "Ready");
    await stage.during(
      "until RoleBinding builds-own is refused",
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
      throw new Error("the builds have become owner on the platform");
    await stage.during("deleting RoleBinding builds-own", 10, stage.kube.delete(greedy));
    await stage.during(
      "until RoleBinding builds-own is gone",
      10,
      stage.objects.until(() => stage.objects.get(nameOf(greedy)) === undefined),
    );
    return [{ what: "two wrong manifests, with the reason", result: "refused" }];
  },
};
