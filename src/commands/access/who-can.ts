import { dottedCapability } from "#src/access/capability-name.ts";
import { loginGrantsOn, unreadLoginGrants } from "#src/access/login-grants.ts";
import { type Holder, type Holders, whoCan } from "#src/access/who-can.ts";
import { defineCommand } from "#src/commands/command.ts";
import { assumptionText, declaredText, identityText, type AccessView } from "./access-view.ts";
import { loginGrantText, type ShownLogins, shownLogins } from "./login-grant-view.ts";
import { capabilityNamed, groupNamed, notAGroup } from "./named.ts";
import { type Answer, answerAccess } from "./open-access.ts";
import { accessSettings, capability, group } from "./settings.ts";

export default defineCommand({
  summary: "print which identities have a capability in a group, and through which role bindings",
  description: `Reads the platform with your login, and changes nothing:
  muster access who-can repo.create --group acme/shop
There is no capability to push: ask about repo.create, tag.create or tag.update. The error about an unknown capability lists all capabilities.
What you may not read is reported as unknown: more identities than the printed ones may then have it. Holders of admin tokens of the platform can do everything; its API does not list them.`,
  settings: { capability, group, ...accessSettings },
  run: (values, context) =>
    answerAccess(values, context, ({ model, view, now }) => {
      const wanted = capabilityNamed(model, values.capability);
      const at = groupNamed(model, values.group);
      const found = whoCan(model, wanted, at, now);
      const unreadGrants = unreadLoginGrants(model, at, now);
      return answerOf(view, at, {
        notes: notAGroup(model, at),
        ...found,
        wanted: dottedCapability(wanted),
        ...shownLogins(view, loginGrantsOn(model, wanted, at, now), { unread: found.unread, unreadGrants }),
      });
    }),
});

interface FoundHolders extends Holders, ShownLogins {
  readonly notes: readonly string[];
  readonly wanted: string;
}

function answerOf(view: AccessView, at: string, found: FoundHolders): Answer {
  const { holders, loginGrants, notes, possible, unknown, unread, wanted } = found;
  const place = view.group(at);
  const shown = (all: readonly Holder[]) =>
    all
      .map(({ expired, identity, through }) => ({
        identity: view.identity(identity.uid, identity.name),
        ...(expired === undefined ? {} : { expired }),
        through: through.map((binding) => view.link(binding)),
      }))
      .toSorted((one, other) => (one.identity.path < other.identity.path ? -1 : 1));
  const value = {
    capability: wanted,
    group: place,
    complete: unknown.length === 0,
    identities: shown(holders),
    possible: shown(possible),
    loginGrants,
    unknown,
  };
  const row = (kind: string) => (holder: (typeof value.identities)[number]) =>
    holder.through.map((link) => [
      identityText(holder.identity) + kind + (holder.expired === undefined ? "" : " (keys expired)"),
      assumptionText(holder.identity),
      link.role.name,
      link.group.path,
      link.roleBinding.createTime ?? "",
      holder.identity.assumedBy === undefined ? "unknown" : (holder.identity.lastSeenTime ?? "never"),
      declaredText(link.roleBinding.declaredBy),
    ]);
  const rows = [...value.identities.flatMap(row("")), ...value.possible.flatMap(row(" (possibly)"))];
  const titles = ["IDENTITY", "ASSUMED BY", "ROLE", "GROUP", "BOUND SINCE", "LAST SEEN", "DECLARED BY"];
  const { declarationsNote } = view;
  const usable = holders.filter(({ expired }) => expired === undefined).length;
  return {
    value,
    text: {
      heading: `${headingOf(usable, unread.length)} ${wanted} in ${place.path}.`,
      table: { titles, rows },
      notes: [
        ...notes,
        ...(usable === holders.length ? [] : [expiredNote(holders.length - usable)]),
        ...loginGrants.map((login) => loginGrantText(login)),
        ...unknown.map(({ message }) => `Unknown: ${message}.`),
        ...(declarationsNote === undefined || rows.length === 0 ? [] : [declarationsNote]),
      ],
    },
  };
}

function expiredNote(count: number): string {
  return count === 1
    ? "Not counted: 1 identity whose static keys have expired, so nobody can use it."
    : `Not counted: ${count} identities whose static keys have expired, so nobody can use them.`;
}

function headingOf(known: number, unread: number): string {
  if (known === 0) return unread === 0 ? "No identity has" : "It is unknown which identities have";
  const count = known === 1 ? "1 identity" : `${known} identities`;
  return unread === 0
    ? `${count} ${known === 1 ? "has" : "have"}`
    : `At least ${count} ${known === 1 ? "has" : "have"}`;
}
