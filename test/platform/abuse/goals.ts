/** What holds for a bystander and for the platform during every kind of abuse. */
export const goals = {
  /** Of the bystander's calls. */
  p99Milliseconds: 250,
  /** Of the platform's process. */
  rssMiB: 512,
  /** The longest block of the event loop. It is only reported: a miss does not fail the run. */
  blockMilliseconds: 50,
} as const;
