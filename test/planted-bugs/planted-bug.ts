/** The levels of tests, from cheap to dear: the projects of `vitest.config.ts`. */
export const levels = ["unit", "postgres", "integration", "admission", "cluster"] as const;
export type Level = (typeof levels)[number];

export const areas = ["operator", "platform", "commands"] as const;
export type Area = (typeof areas)[number];

/** A small edit of the source that is a bug. Tests that do not find it have a gap. */
export interface PlantedBug {
  readonly name: string;
  /** What goes wrong, as such software has had it. */
  readonly why: string;
  /** The path of the file from the root of the repository. */
  readonly file: string;
  /** The text that is replaced. It occurs in the file exactly once. */
  readonly before: string;
  readonly after: string;
  /** The test file that found it last, in the cheapest level that has it. It is tried before the others of that level. */
  readonly foundBy: string;
  /**
   * Whether nothing finds it but a crash or a lost response at one point of a simulation. An ordinary run has some of these points,
   * chosen by the commit; a nightly run has all.
   */
  readonly faultPoints?: true;
}
