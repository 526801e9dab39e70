/** A time of the wall clock, in milliseconds since the epoch, as Kubernetes writes it: RFC 3339 with whole seconds. */
export function timestamp(wallClock: number): string {
  return `${new Date(wallClock).toISOString().slice(0, -".000Z".length)}Z`;
}
