import type { PlantedBug } from "./planted-bug.ts";

/** Bugs of the audit log. */
export const bugsOfAudit: readonly PlantedBug[] = [
  {
    name: "records-merged-for-ever",
    why: "Changes that follow each other within a minute are one record, however long they go on.",
    file: "src/platform/audit/merge-records.ts",
    before: "now - last.first_time >= period",
    after: "now - last.time >= period",
    foundBy: "src/platform/tests/audit-share.test.ts",
  },
  {
    name: "records-of-two-merged",
    why: "A record takes in a change that somebody else made before.",
    file: "src/platform/audit/merge-records.ts",
    before: " || last.actor !== actor",
    after: "",
    foundBy: "src/platform/tests/audit-share.test.ts",
  },
  {
    name: "left-out-events-not-counted",
    why: "Security events that were left out are not reported if none of their cause was recorded.",
    file: "src/platform/audit/event-allowance.ts",
    before: "if (known === undefined) this.#others += 1;",
    after: "if (known === undefined) this.#others += 0;",
    foundBy: "src/platform/service/security-log.test.ts",
  },
  {
    name: "method-filter-by-suffix",
    why: "A filter of records for a method also selects others whose name ends with it.",
    file: "src/platform/audit/record-query.ts",
    before: "const end = `.${method}`;",
    after: "const end = method;",
    foundBy: "src/platform/audit/record-query.test.ts",
  },
  {
    name: "records-until-inclusive",
    why: "A record is in two periods that follow each other.",
    file: "src/platform/audit/record-query.ts",
    before: 'row("time", "<", until)',
    after: 'row("time", "<=", until)',
    foundBy: "src/platform/audit/record-query.test.ts",
  },
];
