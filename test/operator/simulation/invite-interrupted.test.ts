import { expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import { KubeError } from "#src/kube/errors.ts";
import { eventsOf, type Step } from "#src/reconcile/policy/step.ts";
import { type InviteWorld, shop, startWorld } from "./invite-world.ts";

type Change = (world: InviteWorld) => void;

const refusal = new KubeError({ call: "patch secrets", code: 422, reason: "Invalid" }, "no");

/** What happens while an invite is created. */
const changes: Readonly<Record<string, Change>> = {
  "nothing else": () => undefined,
  "a pause": ({ kube }) => kube.annotate("GroupInvite", "ada", { [pausedAnnotation]: "true" }),
  "the deletion of its Secret": ({ kube }) => kube.removeSecret("ada"),
  "a value in its Secret": ({ kube }) => kube.setSecret("ada", { password: "x" }),
  "another Secret of the name": ({ kube }) => {
    kube.removeSecret("ada");
    kube.setSecret("ada", {});
  },
  "a Secret that is immutable": ({ kube }) => {
    kube.refuses = ({ kind }) => (kind === "Secret" ? refusal : undefined);
  },
  "the loss of the right to read it": ({ kube }) => {
    kube.forbidsSecrets = true;
  },
  "the loss of the right to write it": ({ kube }) => {
    kube.forbidsSecretWrites = true;
  },
  "a status that is refused": ({ kube }) => {
    kube.refuses = ({ subresource }) => (subresource === "status" ? refusal : undefined);
  },
  "the deletion of the object": ({ kube, ada }) => kube.remove(ada),
  "the deletion of the object, which keeps the invite": ({ kube, ada }) => {
    kube.apply({ ...ada, spec: { ...ada.spec, policy: { management: "Full", drift: "Report", deletion: "Orphan" } } });
    kube.remove(ada);
  },
  "the deletion of its Group": ({ kube, ada }) => {
    for (const one of [shop, ada]) kube.remove(one);
  },
};

/** As before the change, as far as that can be had. */
const undo: Change = ({ kube }) => {
  kube.refuses = () => undefined;
  kube.forbidsSecrets = false;
  kube.forbidsSecretWrites = false;
  kube.annotate("GroupInvite", "ada", {});
};

/** The invites on the platform after `change`, the end of the process if it `dies`, and the deletion of the object. */
async function leftAfter(change: Change, call: number, dies: boolean) {
  const world = startWorld();
  const { kube, apply, ada, scenario, seen, existing, leaks } = world;
  kube.setSecret("ada", {});
  apply(shop, ada);
  await scenario.until("the call", () => scenario.calls >= call);
  change(world);
  if (dies) scenario.process.kill();
  await scenario.until("a living process", () => true);
  await scenario.pass(300_000);
  undo(world);
  await scenario.pass(300_000);
  kube.remove(ada);
  await scenario.until("the end of the object", () => kube.find("GroupInvite", "ada") === undefined);
  const steps: readonly Step[] = seen.map((text) => JSON.parse(text)[1]);
  const reported = steps.flatMap(eventsOf).flatMap(({ reason, note }) => (reason === "Orphaned" ? [note] : []));
  const unreported = existing().filter((uid) => !reported.some((note) => note.includes(uid)));
  return { unreported, leaks: leaks() };
}

/** The calls of the creation of an invite, from the checks of its Secret to the status. */
async function callsOfCreation() {
  const { kube, apply, ada, isReady, scenario, platform } = startWorld();
  kube.setSecret("ada", {});
  let first = 0;
  platform.fault = (call) => {
    if (call === "create groupInvites") first = scenario.calls - 4;
    return undefined;
  };
  apply(shop, ada);
  await isReady();
  return Array.from({ length: scenario.calls - first + 1 }, (_, index) => first + index);
}

it.each(Object.entries(changes))("no invite is left that no event names, whenever it meets %s", async (_, change) => {
  const calls = await callsOfCreation();
  expect(calls.length).toBeGreaterThan(6);
  for (const call of calls)
    for (const dies of [false, true])
      expect(await leftAfter(change, call, dies), `call ${call}, ${dies ? "dies" : "lives"}`).toEqual({
        unreported: [],
        leaks: [],
      });
});
