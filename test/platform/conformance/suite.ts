import type { Transport } from "./client/api.ts";
import { contract } from "./sections/contract.ts";
import { decided } from "./sections/decided.ts";
import type { Case, Section, Requirement } from "./requirement.ts";

/** All sections of the suite, those of the contract first. */
export const sections: readonly Section[] = [...contract, ...decided];

/** One case over one transport. */
export interface Trial {
  readonly section: Section;
  readonly requirement: Requirement;
  readonly testCase: Case;
  readonly transport: Transport;
}

/** Every case over each of its transports. */
export function trialsOf(all: readonly Section[]): readonly Trial[] {
  return all.flatMap((section) =>
    section.requirements.flatMap((requirement) =>
      "cases" in requirement
        ? requirement.cases.flatMap((testCase) =>
            testCase.transports.map((transport) => ({ section, requirement, testCase, transport })),
          )
        : [],
    ),
  );
}

/** The unique name of a trial, such as `4.7.1: of a group (REST)`. */
export function nameOf({ requirement, testCase, transport }: Trial): string {
  const name = testCase.name === "" ? requirement.id : `${requirement.id}: ${testCase.name}`;
  return `${name} (${transport === "rest" ? "REST" : "gRPC"})`;
}

/** The trials whose name contains a match of the pattern, ignoring case; `*` matches any text. All without a pattern. */
export function select(trials: readonly Trial[], pattern: string | undefined): readonly Trial[] {
  if (pattern === undefined) return trials;
  const text = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  const expression = new RegExp(text, "i");
  return trials.filter((trial) => expression.test(nameOf(trial)));
}
