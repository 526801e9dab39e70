import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import type { Chapter } from "../chapter.ts";
import { poll } from "../poll.ts";
import { resyncSeconds } from "../stage.ts";
import { formatDuration } from "../format-duration.ts";

const otherSubject = "repo:mallory/shop:ref:refs/heads/main";

export const drift: Chapter = {
  title: "Change the platform outside Kubernetes",
  introduction: `Somebody with access to the platform lets another repository act as the identity builds. The manifest is authoritative, so the operator must revert this. It compares the platform with the manifests every ${resyncSeconds} s here; the default is every 10 minutes.`,
  run: async (stage, screen) => {
    const uid: string = stage.objects.get("Identity builds")?.["status"].uid;
    const wanted: string = stage.objects.get("Identity builds")?.["spec"].claimMatch.subject;
    const subjectOf = (identity: PlatformResource): string => identity["claimMatch"]?.subject;
    const { claimMatch } = await stage.during("reading identity builds", 10, stage.platform.get("identities", uid));
    await stage.during(
      "changing identity builds on the platform",
      10,
      stage.platform.update("identities", uid, { claimMatch: { ...claimMatch, subject: otherSubject } }),
    );
    const started = performance.now();
    screen.say(`! On the platform, the identity builds now has the subject ${otherSubject}`, { style: "red" });
    const task = screen.begin("waiting for the operator's next comparison");
    await stage.during(
      "waiting until identity builds is restored",
      resyncSeconds + 10,
      poll(
        () => stage.platform.get("identities", uid),
        (identity) => subjectOf(identity) === wanted,
        25,
      ),
    );
    const corrected = formatDuration(performance.now() - started);
    task.done(`The operator restored the subject ${wanted}`);
    const events = await stage.during(
      "waiting for the event",
      10,
      poll(
        () => stage.kube.list({ apiVersion: "events.k8s.io/v1", kind: "Event" }, { namespace: stage.namespace }),
        (found) => found.some(({ reason }) => reason === "DriftCorrected"),
        50,
      ),
    );
    const note = events.find(({ reason }) => reason === "DriftCorrected")?.["note"];
    screen.say(`The event: DriftCorrected, "${note}"`, { indent: 4, style: "dim" });
    return [{ step: "revert a change made outside Kubernetes", result: corrected }];
  },
};
