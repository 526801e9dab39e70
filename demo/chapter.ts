import type { Screen } from "./screen.ts";
import type { Stage } from "./stage.ts";

/** A line of the summary. */
export interface SummaryLine {
  readonly step: string;
  /** Its duration, or its outcome. */
  readonly result: string;
}

/**
 * A numbered part of the demo. It shows each step on the screen, and throws if a step does not have the expected
 * result.
 */
export interface Chapter {
  readonly title: string;
  /** What the chapter shows, and why it matters. */
  readonly introduction: string;
  readonly run: (stage: Stage, screen: Screen) => Promise<readonly SummaryLine[]>;
}
