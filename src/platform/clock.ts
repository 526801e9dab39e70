/** Milliseconds since the epoch. Time is a part like any other, so that tests can set it. */
export type Clock = () => number;
