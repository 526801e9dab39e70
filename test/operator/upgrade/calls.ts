/** Calls to the platform, by their full method: `muster.platform.iam.v2beta1.GroupsService/CreateGroup`. */
export type Calls = Readonly<Record<string, number>>;

/** How many resources of each kind people's declarations let the operator create and delete. */
export interface Permitted {
  readonly creations: ReadonlyMap<string, number>;
  readonly deletions: ReadonlyMap<string, number>;
}

/** The calls that create or delete more than the declarations say. */
export function excessiveCalls(calls: Calls, { creations, deletions }: Permitted): string[] {
  return writesOf(calls).flatMap(({ verb, kind, count }) => {
    if (verb === "Update") return [];
    const permitted = (verb === "Create" ? creations : deletions).get(kind) ?? 0;
    return count > permitted ? [`${verb}${kind} was called ${count} times, for ${permitted} objects`] : [];
  });
}

/** The calls that write, at a time when nothing should be written. */
export function writingCalls(calls: Calls): string[] {
  return writesOf(calls).map(({ verb, kind, count }) => `${verb}${kind} was called ${count} times at rest`);
}

function writesOf(calls: Calls): { readonly verb: string; readonly kind: string; readonly count: number }[] {
  return Object.entries(calls).flatMap(([method, count]) => {
    const [, verb, kind] = /\/(Create|Update|Delete)(\w+)$/.exec(method) ?? [];
    return verb === undefined || kind === undefined ? [] : [{ verb, kind, count }];
  });
}
