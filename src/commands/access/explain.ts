import { noLimits } from "#src/access/access-model.ts";
import type { KnownBinding } from "#src/access/access-state.ts";
import { dottedCapability } from "#src/access/capability-name.ts";
import { explain } from "#src/access/explain.ts";
import { loginGrantsOn, unreadLoginGrants } from "#src/access/login-grants.ts";
import { defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { dottedNames } from "./access-view.ts";
import { explanationText, type Explanation } from "./explanation-text.ts";
import { shownLogins } from "./login-grant-view.ts";
import { capabilityNamed, groupNamed, identityNamed, notAGroup, notAnIdentity } from "./named.ts";
import { answerAccess } from "./open-access.ts";
import { accessSettings, capability, group, subject } from "./settings.ts";

export default defineCommand({
  summary: "print whether an identity has a capability in a group, and why",
  description: `Reads the platform with your login, and changes nothing:
  muster access explain shop/ci repo.create --group acme/shop
The answer is yes, no or unknown: it is never no if something that could grant the capability cannot be read. With --scope and --cap, the answer is for a token that is limited to groups or capabilities.`,
  settings: {
    subject,
    capability,
    group,
    scope: settings.flagOnly(
      settings.optionalList(
        { ...settings.text, placeholder: "GROUP" },
        "Answer for a token that is limited to this group: its uid, or its name or path if that is unique.",
      ),
    ),
    cap: settings.flagOnly(
      settings.optionalList(
        { ...settings.text, placeholder: "CAPABILITY" },
        "Answer for a token that is limited to this capability.",
      ),
    ),
    ...accessSettings,
  },
  run: (values, context) =>
    answerAccess(values, context, ({ model, view, now }) => {
      const wanted = capabilityNamed(model, values.capability);
      const at = groupNamed(model, values.group);
      const uid = identityNamed(model, values.subject);
      const groups = values.scope.map((scope) => groupNamed(model, scope, "--scope"));
      const capabilities = new Set(values.cap.map((cap) => capabilityNamed(model, cap, "--cap")));
      const limits = {
        groups: groups.length === 0 ? noLimits.groups : groups,
        capabilities: capabilities.size === 0 ? noLimits.capabilities : capabilities,
      };
      const { decision, expired, others, through, undecided, unread } = explain(
        model,
        { identity: uid, capability: wanted, at, limits },
        now,
      );
      const other = (binding: KnownBinding) => ({
        ...view.link(binding),
        reason: model.roles.get(binding.role.uid)?.capabilities.has(wanted)
          ? ("the limits of the token" as const)
          : ("the role" as const),
      });
      const unreadGrants = unreadLoginGrants(model, at, now);
      const value: Explanation = {
        answer: decision,
        capability: dottedCapability(wanted),
        group: view.group(at),
        identity: view.identity(uid, [...through, ...undecided, ...others][0]?.identity.name),
        ...(groups.length === 0 && capabilities.size === 0
          ? {}
          : {
              token: {
                ...(groups.length === 0 ? {} : { groups: groups.map((scope) => view.group(scope)) }),
                ...(capabilities.size === 0 ? {} : { capabilities: dottedNames(capabilities) }),
              },
            }),
        ...(expired === undefined ? {} : { expired }),
        through: through.map((binding) => view.link(binding)),
        undecided: undecided.map((binding) => view.link(binding)),
        others: others.map(other),
        ...shownLogins(view, loginGrantsOn(model, wanted, at, now), { unread, unreadGrants }),
        builtInRoles: model.state.roles
          .filter((role) => !role.uid.includes("/") && role.capabilities.has(wanted))
          .map(({ name }) => name),
      };
      const text = explanationText(value, view.declarationsNote);
      return {
        value,
        text: { ...text, notes: [...notAnIdentity(model, uid), ...notAGroup(model, at), ...text.notes] },
      };
    }),
});
