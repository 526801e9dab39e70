import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import type { Chapter } from "../chapter.ts";
import { poll } from "../poll.ts";
import { resyncSeconds } from "../stage.ts";
import { formatDuration } from "../format-duration.ts";

const intruder = "repo:mallory/shop:ref:refs/heads/main";

export const drift: Chapter = {
  title: "Another hand changes the platform",
  about: `Somebody goes around Kubernetes and lets another repository pose as your builds. The manifest is the truth, so this must not last. The operator compares every ${resyncSeconds} s here; unless told otherwise, every ten minutes.`,
  play: async (stage, screen) => {
    const uid: string = stage.objects.get("Identity builds")?.["status"].uid;
    const wanted: string = stage.objects.get("Identity builds")?.["spec"].claimMatch.subject;
    const subjectOf = (identity: PlatformResource): string => identity["claimMatch"]?.subject;
    const { claimMatch } = await stage.during("reading identity builds", 10, stage.platform.get("identities", uid));
    await stage.during(
      "changing identity builds on the platform",
      10,
      stage.platform.update("identities", uid, { claimMatch: { ...claimMatch, subject: intruder } }),
    );
    const started = performance.now();
    screen.say(`! On the platform, builds is now ${intruder}`, { style: "red" });
    const task = screen.begin("until the operator compares");
    await stage.during(
      "until identity builds is set back",
      resyncSeconds + 10,
      poll(
        () => stage.platform.get("identities", uid),
        (identity) => subjectOf(identity) === wanted,
        25,
      ),
    );
    const mended = formatDuration(performance.now() - started);
    task.done(`set back to ${wanted}`);
    const event = await stage.during(
      "until an event tells of it",
      10,
      poll(
        () => stage.kube.list({ apiVersion: "events.k8s.io/v1", kind: "Event" }, { namespace: stage.namespace }),
        (events) => events.some(({ reason }) => reason === "DriftCorrected"),
        50,
      ),
    );
    const note = event.find(({ reason }) => reason === "DriftCorrected")?.["note"];
    screen.say(`An event tells of it: DriftCorrected, "${note}"`, { indent: 4, style: "dim" });
    return [{ what: "a change by another hand, undone", result: mended }];
  },
};
