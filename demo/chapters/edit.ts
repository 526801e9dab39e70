import { withoutMarker } from "#test/support/harness/comparison.ts";
import { isReady, ref } from "#test/support/harness/muster-objects.ts";
import type { Chapter } from "../chapter.ts";
import { showCommand } from "../command-line.ts";
import { poll } from "../poll.ts";
import { formatDuration } from "../format-duration.ts";

const description = "Carts, orders, payments and refunds";

export const edit: Chapter = {
  title: "Change a manifest",
  introduction: "The operator watches the Kubernetes API, so it acts on each change at once.",
  run: async (stage, screen) => {
    const patch = { spec: { description } };
    showCommand(screen, `${stage.cluster.kubectl} patch mgroup checkout --type merge -p '${JSON.stringify(patch)}'`);
    const uid: string = stage.objects.get("Group checkout")?.["status"].uid;
    const started = performance.now();
    const edited = await stage.during(
      "changing Group checkout",
      10,
      stage.kube.patch(ref("Group", stage.namespace, "checkout"), patch),
    );
    await stage.during(
      "waiting until the platform has the new description of Group checkout",
      10,
      poll(
        () => stage.platform.get("groups", uid),
        (group) => withoutMarker(group.description) === description,
        2,
      ),
    );
    const onPlatform = performance.now() - started;
    const { generation = 0 } = edited.metadata;
    await stage.during(
      "waiting until Group checkout is Ready again",
      10,
      stage.objects.until(() => {
        const object = stage.objects.get("Group checkout");
        return isReady(object) && (object?.metadata.generation ?? 0) >= generation;
      }),
    );
    screen.say(
      `✓ The platform has the new description after ${formatDuration(onPlatform)}, and the object is Ready again after ${formatDuration(performance.now() - started)}.`,
    );
    return [{ step: "edit a manifest, until the platform has the change", result: formatDuration(onPlatform) }];
  },
};
