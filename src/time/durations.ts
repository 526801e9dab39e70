/**
 * Durations. Every duration in this program is a number of milliseconds, and its name ends in `Ms`, so that a reader
 * never has to look up a unit: `const drainMs = seconds(5)`.
 */

export const seconds = (count: number): number => count * 1_000;

export const minutes = (count: number): number => count * 60_000;

export const hours = (count: number): number => count * 3_600_000;
