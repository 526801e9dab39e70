import type { Screen } from "./screen.ts";
import type { Stage } from "./stage.ts";

/** One thing that was shown, for the summary. */
export interface Shown {
  readonly what: string;
  /** How long that took, or what came of it. */
  readonly result: string;
}

/** A part of the story. It shows what happens on the screen, and throws where anything else happens. */
export interface Chapter {
  readonly title: string;
  /** What the reader is about to see, and why it matters. */
  readonly about: string;
  readonly play: (stage: Stage, screen: Screen) => Promise<readonly Shown[]>;
}
