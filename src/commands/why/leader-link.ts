import type { Reading } from "#src/commands/reader/cluster-reads.ts";
import type { OperatorPlace } from "#src/commands/reader/operator-place.ts";
import type { Lease } from "#src/kube/lease-client.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { seconds } from "#src/time/durations.ts";
import type { Link } from "./link.ts";

/** A Lease that was renewed this long before its end is renewed in time, although clocks differ. */
const graceMs = seconds(30);
const defaultDurationMs = seconds(15);

/** Whether an operator leads, as its Lease says. @param now milliseconds since the epoch */
export function leaderLink(lease: Reading<Lease>, place: OperatorPlace, now: number): Link {
  const subject = `Lease ${place.namespace}/${place.name}`;
  const base = { link: "leader", subject };
  const fix = {
    text: "Look at the pods of the operator:",
    command: `kubectl -n ${place.namespace} get pods,lease`,
  };
  if (lease.state === "unknown")
    return {
      ...base,
      state: "unknown",
      message: `Whether an operator leads is unknown: ${lease.because}`,
      fix: lease.fix,
    };
  if (lease.state === "absent")
    return {
      ...base,
      state: "unknown",
      message:
        "There is no such Lease: no operator has led with it. If it has another place, give --operator-namespace and --lease-name.",
      fix,
    };
  const { spec = {} } = lease.value;
  const { leaseDurationSeconds } = spec;
  const [holderIdentity, acquireTime, renewTime] = [spec.holderIdentity, spec.acquireTime, spec.renewTime].map(
    (text) => (text === undefined ? undefined : oneLine(text)),
  );
  if (holderIdentity === undefined || holderIdentity === "")
    return { ...base, state: "problem", message: "No operator leads: the last one stopped.", fix };
  const renewedAt = Date.parse(renewTime ?? "");
  const durationMs = leaseDurationSeconds === undefined ? defaultDurationMs : seconds(leaseDurationSeconds);
  if (Number.isNaN(renewedAt) || now - renewedAt > durationMs + graceMs)
    return {
      ...base,
      state: "problem",
      ...(renewTime === undefined ? {} : { since: renewTime }),
      message: `No operator leads: ${holderIdentity} has not renewed the Lease since ${renewTime ?? "an unknown time"}.`,
      fix,
    };
  return {
    ...base,
    state: "ok",
    ...(acquireTime === undefined ? {} : { since: acquireTime }),
    message: `${holderIdentity} leads.`,
  };
}
