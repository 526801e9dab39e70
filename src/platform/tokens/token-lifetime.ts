/** How long an API token is valid (ms). */
export const apiTokenLifetime = 60 * 60 * 1_000;
