import { accessOf } from "#src/access/access-of.ts";
import { loginGrantsFor, unreadLoginGrantsFor } from "#src/access/login-grants.ts";
import { defineCommand } from "#src/commands/command.ts";
import { assumptionText, declaredText, dottedNames, identityText } from "./access-view.ts";
import { capabilitySummary } from "./capability-summary.ts";
import { loginGrantText, shownLogins } from "./login-grant-view.ts";
import { identityNamed, notAnIdentity } from "./named.ts";
import { answerAccess } from "./open-access.ts";
import { readElsewhere } from "./read-elsewhere.ts";
import { accessSettings, subject } from "./settings.ts";

export default defineCommand({
  summary: "print what an identity may do, and where",
  description: `Reads the platform with your login, and changes nothing:
  muster access of shop/ci
A role applies in the group of its role binding, and in every group below it. JSON and YAML have all capabilities of each role.`,
  settings: { subject, ...accessSettings },
  run: (values, context) =>
    answerAccess(values, context, ({ model, view, now }) => {
      const uid = identityNamed(model, values.subject);
      const { bindings, expired, listedBelow, unread } = accessOf(model, uid, now);
      const whose = view.identity(uid, bindings[0]?.binding.identity.name);
      const unreadGrants = unreadLoginGrantsFor(model, uid, now);
      const { loginGrants, unknown } = shownLogins(view, loginGrantsFor(model, uid, now), { unread, unreadGrants });
      const links = bindings.map(({ binding, role }) => ({
        ...view.link(binding),
        ...(role === undefined ? {} : { capabilities: dottedNames(role.capabilities) }),
      }));
      const readBelow = listedBelow?.map((group) => view.group(group));
      const { declarationsNote } = view;
      return {
        value: {
          identity: whose,
          ...(expired === undefined ? {} : { expired }),
          complete: readBelow === undefined && unknown.length === 0,
          roleBindings: links,
          loginGrants,
          ...(readBelow === undefined ? {} : { readBelow }),
          unknown,
        },
        text: {
          heading: `${identityText(whose)} has ${links.length === 0 ? "no role bindings" : links.length === 1 ? "1 role binding" : `${links.length} role bindings`}${readBelow === undefined ? "" : " that you can read"}. It is assumed by: ${assumptionText(whose)}.`,
          table: {
            titles: ["GROUP", "ROLE", "CAPABILITIES", "BOUND SINCE", "DECLARED BY"],
            rows: links.map(({ capabilities, group, role, roleBinding }) => [
              group.path,
              role.name,
              capabilities === undefined ? "unknown" : capabilitySummary(capabilities),
              roleBinding.createTime ?? "",
              declaredText(roleBinding.declaredBy),
            ]),
          },
          notes: [
            ...notAnIdentity(model, uid),
            ...(expired === undefined ? [] : [`Its static keys expired at ${expired}: nobody can use it.`]),
            ...loginGrants.map((login) => loginGrantText(login)),
            ...unknown.map(({ message }) => `Unknown: ${message}.`),
            ...(readBelow === undefined ? [] : [readElsewhere(readBelow.map(({ path }) => path))]),
            ...(declarationsNote === undefined || links.length === 0 ? [] : [declarationsNote]),
          ],
        },
      };
    }),
});
