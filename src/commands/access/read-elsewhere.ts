/** What is unknown if role bindings were listed only in and below these groups. @param read the paths of the groups */
export function readElsewhere(read: readonly string[]): string {
  return read.length === 0
    ? "Unknown: you cannot read role bindings in any group: you need role_bindings.list."
    : `Unknown: role bindings in other groups than ${read.join(", ")} and those below: you need role_bindings.list there.`;
}
