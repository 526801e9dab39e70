import type { AnswerText } from "#src/commands/output/answer-format.ts";
import type { Link } from "./link.ts";
import type { RecentEvent } from "./recent-events.ts";

/** The answer to why an object is not Ready. */
export interface WhyAnswer {
  /** Such as `shop/Group/web`. */
  readonly object: string;
  readonly ready: boolean;
  /** The links that nothing further explains; empty if the object is Ready. */
  readonly causes: readonly Link[];
  /** From the object on. */
  readonly chain: readonly Link[];
  readonly events: readonly RecentEvent[];
}

const marks = { ok: "ok", problem: "PROBLEM", unknown: "unknown" } as const;

/** The answer for people. */
export function answerText({ causes, chain, events, object, ready }: WhyAnswer): AnswerText {
  const heading = ready ? `${object} is Ready.` : `${object} is not Ready. ${causesText(causes)}`;
  return {
    heading,
    table: {
      titles: ["", "LINK", "OBJECT", "REASON", "SINCE"],
      rows: chain.map(({ link, reason = "", since = "", state, subject }) => [
        marks[state],
        link,
        subject,
        reason,
        since,
      ]),
    },
    notes: [
      ...causes.flatMap((cause) => [
        `Cause: ${cause.subject}: ${cause.message}`,
        ...(cause.fix === undefined ? [] : [`Fix: ${cause.fix}`]),
      ]),
      ...chain.flatMap((one) => (ready && one.state !== "unknown" ? [`${one.subject}: ${one.message}`] : [])),
      ...chain.flatMap((one) =>
        one.state === "unknown" ? [`Unknown: ${one.subject}: ${one.message}`, `To know it: ${one.fix}`] : [],
      ),
      ...events.map(({ note, reason, time, type }) => `Event: ${time} ${type} ${reason}: ${note}`),
    ],
  };
}

function causesText(causes: readonly Link[]): string {
  const named = causes.map(({ reason, subject }) => (reason === undefined ? subject : `${subject} (${reason})`));
  return named.length === 0 ? "" : `The ${named.length === 1 ? "cause is" : "causes are"} ${named.join(", ")}.`;
}
