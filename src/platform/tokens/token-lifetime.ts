/** An exchanged API token is valid for one hour (ms). */
export const apiTokenLifetime = 60 * 60 * 1_000;
