/**
 * Returns the current time in milliseconds since the epoch. It may jump in either direction. Components take it as a
 * parameter, so that tests can set it.
 */
export type WallClock = () => number;
