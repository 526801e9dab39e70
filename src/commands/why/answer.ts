import { reasons } from "#src/api/reason.ts";
import type { AnswerText } from "#src/commands/output/answer-format.ts";
import { noteAfter, noteOf } from "#src/commands/output/note.ts";
import { type Link, type LinkValue, linkValue } from "./link.ts";
import type { RecentEvent } from "./recent-events.ts";

/** The answer to why an object is not Ready. */
export interface WhyAnswer<L = Link> {
  /** Such as `shop/Group/web`. */
  readonly object: string;
  readonly ready: boolean;
  /** The links that nothing further explains; empty if the object is Ready. */
  readonly causes: readonly L[];
  /** From the object on. */
  readonly chain: readonly L[];
  readonly events: readonly RecentEvent[];
}

/** The answer for programs. */
export function answerValue(answer: WhyAnswer): WhyAnswer<LinkValue> {
  return { ...answer, causes: answer.causes.map(linkValue), chain: answer.chain.map(linkValue) };
}

const marks = { ok: "ok", problem: "PROBLEM", unknown: "unknown" } as const;

/** The answer for people. */
export function answerText({ causes, chain, events, object, ready }: WhyAnswer): AnswerText {
  const heading = ready ? `${object} is Ready.` : `${object} is not Ready. ${causesText(causes)}`;
  return {
    heading,
    table: {
      titles: ["", "LINK", "OBJECT", "REASON", "DECIDED BY", "SINCE"],
      rows: chain.map(({ decidedBy = "", link, reason = "", since = "", state, subject }) => [
        marks[state],
        link,
        subject,
        reason,
        decidedBy,
        since,
      ]),
    },
    notes: [
      ...causes.flatMap((cause) => [
        noteOf(`Cause: ${cause.subject}: ${cause.message}`),
        ...(cause.fix === undefined ? [] : [noteAfter("Fix:", cause.fix)]),
        ...referenceOf(cause),
      ]),
      ...(ready ? [] : chain.filter((one) => isFurtherTenant(one, causes))).map(({ message, subject }) =>
        noteOf(`Also: ${subject} is not Ready: ${message}`),
      ),
      ...chain.flatMap((one) => (ready && one.state !== "unknown" ? [noteOf(`${one.subject}: ${one.message}`)] : [])),
      ...chain.flatMap((one) =>
        one.state === "unknown"
          ? [noteOf(`Unknown: ${one.subject}: ${one.message}`), noteAfter("To know it:", one.fix)]
          : [],
      ),
      ...events.map(({ note, reason, time, type }) => noteOf(`Event: ${time} ${type} ${reason}: ${note}`)),
    ],
  };
}

/** A Tenant says what no cause does: what its credential met with, or which of its limits do not apply. */
function isFurtherTenant(one: Link, causes: readonly Link[]): boolean {
  return one.link === "Tenant" && one.state === "problem" && !causes.includes(one);
}

/** Where the documentation explains the reason. */
function referenceOf({ reason }: Link): ReturnType<typeof noteOf>[] {
  if (reason === undefined || !Object.hasOwn(reasons, reason)) return [];
  return [noteOf(`More: docs/reference/conditions.md#${reason.toLowerCase()}`)];
}

function causesText(causes: readonly Link[]): string {
  const named = causes.map(({ reason, subject }) => (reason === undefined ? subject : `${subject} (${reason})`));
  return named.length === 0 ? "" : `The ${named.length === 1 ? "cause is" : "causes are"} ${named.join(", ")}.`;
}
