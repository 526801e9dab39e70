import { expect, it } from "vitest";
import { formatAnswer } from "#src/commands/output/answer-format.ts";
import { secretMissing, secretUnreadable } from "#src/reconcile/policy/issue-messages.ts";
import { answerText, answerValue, type WhyAnswer } from "./answer.ts";
import type { Link } from "./link.ts";

const at = { namespace: "team", name: "ada_1", key: "code" };
const create = "kubectl create secret generic -n team ada_1";
const link = (message: string): Link => ({
  link: "object",
  subject: "team/GroupInvite/ada",
  state: "problem",
  message,
});

function answerWith(cause: Link, more: Partial<WhyAnswer> = {}) {
  const answer: WhyAnswer = {
    object: cause.subject,
    ready: false,
    causes: [cause],
    chain: [cause],
    events: [],
    ...more,
  };
  return (format: "json" | "markdown" | "table") => formatAnswer(format, answerValue(answer), answerText(answer));
}

it("prints the command at the end of a condition's message as code in Markdown, and as it is elsewhere", async () => {
  const message = secretMissing("spec.secretRef", at);
  const print = answerWith(link(message));
  expect(await print("markdown")).toContain(` Run: \` ${create} \`\n`);
  expect(await print("table")).toContain(`\nCause: team/GroupInvite/ada: ${message}\n`);
  expect(JSON.parse(await print("json"))).toMatchObject({ causes: [{ message }] });
});

it("prints it as code also where it is that of an event, or of what is unknown", async () => {
  const note = secretMissing("spec.secretRef", at);
  const event = { time: "2026-11-23T00:00:00Z", type: "Warning", reason: "SecretNotUsable", note };
  const unknown: Link = { ...link(note), state: "unknown", fix: "Ask again." };
  const text = await answerWith(link("m"), { chain: [unknown], events: [event] })("markdown");
  expect(text.match(/^- (Unknown|Event): .* Run: ` kubectl create secret generic -n team ada_1 `$/gm)).toHaveLength(2);
});

it("prints a command alone, without what else could be done", async () => {
  const refusal = { code: 403, message: 'secrets "ada_1" is forbidden: User "u" cannot get resource "secrets"' };
  const text = await answerWith(link(secretUnreadable("spec.secretRef", at, "invite", refusal)))("markdown");
  expect(text).toMatch(/ Run: ` kubectl create role -n team muster-secret-ada_1 [^`;]* --user=u `$/m);
  expect(text).toContain("to keep the invite");
});

it.each([
  ["NoTenant", "\nMore: docs/reference/conditions.md#notenant\n"],
  ["ReasonOfANewerOperator", undefined],
])("says where the reason %s is explained: %j", async (reason, note) => {
  const text = await answerWith({ ...link("m"), reason })("table");
  expect(/\nMore: .*\n/.exec(text)?.[0]).toBe(note);
});
