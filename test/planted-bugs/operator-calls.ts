import type { PlantedBug } from "./planted-bug.ts";

/** Bugs of what the operator calls the platform with. */
export const bugsOfPlatformCalls: readonly PlantedBug[] = [
  {
    name: "owner-read-once-a-minute",
    why: "28.5: A cluster that lost its owner id deletes for up to a minute.",
    file: "src/platform-client/session-writes.ts",
    before: 'await (owned === "now" ? owner?.requireByNewRead() : owner?.require());',
    after: "await owner?.require();",
    foundBy: "src/platform-client/session-writes.test.ts",
  },
  {
    name: "restarted-list-believed",
    why: "A list that began again at an expired page token counts as complete.",
    file: "src/platform-client/list-all.ts",
    before: 'throw malformed("the list started over at one of its pages");',
    after: "stable = false;",
    foundBy: "src/platform-client/list-all.test.ts",
  },
  {
    name: "endless-list",
    why: "A hostile platform whose pages are empty and never end keeps a worker for ever.",
    file: "src/platform-client/list-all.ts",
    before: "const maxPages = 10_000;",
    after: "const maxPages = 10_000_000;",
    foundBy: "src/platform-client/list-all.test.ts",
  },
  {
    name: "exchange-retried-by-each-call",
    why: "Every waiting call repeats an exchange that has just failed.",
    file: "src/platform-client/token-source.ts",
    before:
      "if (this.#failed !== undefined && clock.monotonic() < this.#failed.until) return Promise.reject(this.#failed.error);",
    after: "",
    foundBy: "src/platform-client/token-source.test.ts",
  },
  {
    name: "token-used-until-expiry",
    why: "A token is sent that expires on its way.",
    file: "src/platform-client/token-source.ts",
    before: "now >= current.expiresAt - expiryMarginMs",
    after: "now >= current.expiresAt",
    foundBy: "src/platform-client/token-source.test.ts",
  },
  {
    name: "probe-forgotten",
    why: "An outage is not probed again after a probe that failed.",
    file: "src/platform-client/suspension.ts",
    before: `    this.#outage = { class: outageClass, problem, message: describeProblem(problem), since };
    this.#scheduleProbe();`,
    after: "    this.#outage = { class: outageClass, problem, message: describeProblem(problem), since };",
    foundBy: "src/platform-client/suspension.test.ts",
  },
  {
    name: "old-read-undoes-write",
    why: "A GET that began before our own write takes the result of the write back.",
    file: "src/platform-client/collection-view.ts",
    before: ": !known.stale && known.seenAt > at;",
    after: ": false;",
    foundBy: "src/platform-client/collection-view.test.ts",
  },
  {
    name: "old-list-removes-new",
    why: "A list that began before a creation removes what was created.",
    file: "src/platform-client/collection-view.ts",
    before: "if (listed.has(uid) || entry === undefined || entry.seenAt >= startedAt) continue;",
    after: "if (listed.has(uid) || entry === undefined) continue;",
    foundBy: "src/platform-client/collection-view.test.ts",
  },
  {
    name: "timeout-taken-for-refusal",
    why: "A write without a response counts as one without effect.",
    file: "src/platform-client/failure.ts",
    before: `    case "noResponse":
      return false;`,
    after: `    case "noResponse":
      return true;`,
    foundBy: "src/platform-client/failure.test.ts",
  },
  {
    name: "uid-compared-by-prefix",
    why: "A uid counts as below another one whose text it begins with.",
    file: "src/platform-client/uid.ts",
    before: 'return uid[ancestor.length] === "/" && uid.startsWith(ancestor);',
    after: "return uid !== ancestor && uid.startsWith(ancestor);",
    foundBy: "src/reconcile/policy/decision-input.test.ts",
  },
  {
    name: "secret-in-error",
    why: "An error repeats the client secret of the request, and is shown in a status.",
    file: "src/platform-client/conceal-secrets.ts",
    before: "if (secrets.size === 0) return error;",
    after: "if (secrets.size < 10) return error;",
    foundBy: "src/platform-client/conceal-secrets.test.ts",
  },
  {
    name: "request-timer-leaks",
    why: "The deadline of each request stays set after its response.",
    file: "src/http/send-request.ts",
    before: `      cancelDeadline();
`,
    after: "",
    foundBy: "src/http/send-request.test.ts",
  },
  {
    name: "token-in-log",
    why: "A line of the log contains the bearer token of a request.",
    file: "src/telemetry/redaction.ts",
    before: '[/\\b(Bearer|Basic)(\\s+|%20)[\\w.~+/=-]{6,}/gi, "$1 [redacted]"],',
    after: "",
    foundBy: "src/telemetry/log.test.ts",
  },
  {
    name: "deletion-in-doubt-believed",
    why: "After a DELETE without a response, the resource counts as present.",
    file: "src/platform-client/session-writes.ts",
    before: `        if (!hadNoEffect(error)) views.viewOf(collection).recordStale(uid);
        throw error;
      }
`,
    after: `        throw error;
      }
`,
    foundBy: "src/platform-client/session-writes.test.ts",
  },
];
