import { hasFinalizer, type Resource } from "#src/api/custom-resource.ts";

/**
 * Whether a process that ended may have managed something on the platform for the object, as far as the object itself shows
 * that. What a finalizer proves is decided here, and nowhere else.
 *
 * - Without our finalizer, no process did: the finalizer is added before anything is created or adopted.
 * - The finalizer proves nothing by itself. An admission policy adds it to each new object, also while no operator leads.
 *   A process may nevertheless have created something, and may have ended before it could record that.
 * - An object that has said `Observe` since it was created never managed anything, with or without the finalizer. Its first
 *   generation shows that: each change of the spec increments the generation. A record of something managed says otherwise.
 * - An object with a later generation may have said `Full` before, when a process saw it.
 *
 * Where this is true, the platform shows whether there is anything: a marker, or the natural key of a resource that has none.
 *
 * Caveat: an object that is restored from a backup without its status starts with the first generation again. If it said
 * `Observe` in the backup and still had to leave a resource that it managed before, it leaves that resource as it is: one with a
 * marker is reported as an orphan.
 */
export function mayHaveManaged(resource: Resource): boolean {
  return hasFinalizer(resource) && !hasOnlyObserved(resource);
}

function hasOnlyObserved({ metadata, spec, status }: Resource): boolean {
  const { generation = 1, deletionTimestamp } = metadata;
  // A deletion that waits for a finalizer increments the generation, too.
  const editions = deletionTimestamp === undefined ? generation : generation - 1;
  const { management = "Observed" } = status ?? {};
  return spec.policy.management === "Observe" && editions <= 1 && management === "Observed";
}
