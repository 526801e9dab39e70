import { dottedCapability } from "#src/access/capability-name.ts";
import type { KnownBinding } from "#src/access/access-state.ts";
import type { UnusedAccess, UnusedWrites } from "#src/access/unused-writes.ts";
import {
  type AccessView,
  declaredText,
  dottedNames,
  identityText,
  type IdentityView,
  type LinkView,
} from "./access-view.ts";
import { capabilitySummary } from "./capability-summary.ts";
import type { Answer, OpenedAccess } from "./open-access.ts";
import { readElsewhere } from "./read-elsewhere.ts";
import { shortList } from "#src/text/short-list.ts";

interface FoundUnused extends UnusedAccess {
  /** The uid of the group that was asked for. */
  readonly at: string | undefined;
  readonly days: number;
  readonly since: number;
  /** The uids of the groups in and below which role bindings were listed; undefined if all were. */
  readonly listedBelow: readonly string[] | undefined;
}

/** A role binding with unused writes, by dotted names, as JSON and YAML have it. */
interface IdentityLink extends LinkView {
  readonly identity: IdentityView;
}

interface UnusedView extends IdentityLink {
  readonly unused: readonly string[];
  readonly used: readonly string[];
  /** Writes that changes may have used whose records you cannot read. */
  readonly perhapsUsed: readonly string[];
  /** Whether it grants nothing but unused writes. */
  readonly needless: boolean;
  readonly smallestRole?: { readonly uid: string; readonly name: string; readonly lostReads: readonly string[] };
}

/** The answer to `muster access unused`. */
export function unusedAnswer({ view }: OpenedAccess, found: FoundUnused): Answer {
  const { at, changed, days, hiddenRecords, listedBelow, recent, unread, unreadRecords } = found;
  const bindings = found.bindings
    .map((one) => unusedView(view, one))
    .toSorted((one, other) => (one.identity.path < other.identity.path ? -1 : 1));
  const unknown = [
    ...unreadRecords.map((group) => view.unreadRecords(group)),
    ...hiddenRecords.map((group) => view.hiddenRecords(group)),
    ...unread.map((one) => view.unread(one)),
  ];
  const changedLinks = changed.map((binding) => withIdentity(view, binding));
  const readBelow = listedBelow?.map((group) => view.group(group));
  const complete = unknown.length === 0 && readBelow === undefined;
  const { declarationsNote } = view;
  return {
    value: {
      days,
      since: new Date(found.since).toISOString(),
      ...(at === undefined ? {} : { group: view.group(at) }),
      complete,
      roleBindings: bindings,
      recent: recent.map((binding) => withIdentity(view, binding)),
      changed: changedLinks,
      ...(readBelow === undefined ? {} : { readBelow }),
      unknown,
    },
    text: {
      heading: headingOf(bindings.length, days, complete),
      table: {
        titles: ["IDENTITY", "GROUP", "ROLE", "UNUSED WRITES", "USED WRITES", "SMALLEST ROLE", "DECLARED BY"],
        rows: bindings.map((one) => [
          identityText(one.identity),
          one.group.path,
          one.role.name,
          capabilitySummary(one.unused),
          one.used.length === 0 ? "none" : capabilitySummary(one.used),
          smallestText(one),
          declaredText(one.roleBinding.declaredBy),
        ]),
      },
      notes: [
        ...(recent.length === 0 ? [] : [recentText(recent.length, days)]),
        ...(changed.length === 0 ? [] : [changedText(changedLinks, days)]),
        ...unknown.map(({ message }) => `Unknown: ${message}.`),
        ...(readBelow === undefined ? [] : [readElsewhere(readBelow.map(({ path }) => path))]),
        ...(declarationsNote === undefined || bindings.length === 0 ? [] : [declarationsNote]),
        "Reads leave no record, and are never called unused. A service that accepts the platform's tokens may use capabilities without a record here.",
      ],
    },
  };
}

function unusedView(view: AccessView, one: UnusedWrites): UnusedView {
  const { binding, isNeedless, perhapsUsed, smaller, unused, used } = one;
  return {
    ...withIdentity(view, binding),
    unused: dottedNames(unused),
    used: dottedNames(used),
    perhapsUsed: dottedNames(perhapsUsed),
    needless: isNeedless,
    ...(smaller === undefined
      ? {}
      : {
          smallestRole: {
            uid: smaller.role.uid,
            name: smaller.role.name,
            lostReads: smaller.lostReads.map(dottedCapability),
          },
        }),
  };
}

function withIdentity(view: AccessView, binding: KnownBinding): IdentityLink {
  const { identity } = binding;
  return { identity: view.identity(identity.uid, identity.name), ...view.link(binding) };
}

function smallestText({ needless, smallestRole }: UnusedView): string {
  if (needless) return "none is needed";
  if (smallestRole === undefined) return "no built-in role is smaller";
  const { lostReads, name } = smallestRole;
  return lostReads.length === 0 ? name : `${name}, but without ${lostReads.join(", ")}`;
}

function headingOf(count: number, days: number, complete: boolean): string {
  const period = daysText(days);
  if (count === 0)
    return complete
      ? `No role binding that is older than ${period} has a write capability that nobody used since then.`
      : `No write capability is known to be unused in ${period}.`;
  const has = count === 1 ? "1 role binding has" : `${count} role bindings have`;
  return `${complete ? "" : "At least "}${has} write capabilities that nobody used in ${period}.`;
}

function recentText(count: number, days: number): string {
  const are = count === 1 ? "1 role binding that is" : `${count} role bindings that are`;
  return `Not judged: ${are} younger than ${daysText(days)}.`;
}

/** More of them are not named; JSON and YAML have all. */
const namedBindings = 5;

function changedText(changed: readonly IdentityLink[], days: number): string {
  const named = changed.map(
    ({ group, identity, role }) => `${role.name} of ${identityText(identity)} in ${group.path}`,
  );
  return `Not judged: what was changed within ${daysText(days)}, so that it was not granted for all of them, a role binding or its role: ${shortList(named, namedBindings)}.`;
}

function daysText(days: number): string {
  return days === 1 ? "1 day" : `${days} days`;
}
