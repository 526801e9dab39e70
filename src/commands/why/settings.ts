import { answerOutput } from "#src/commands/output/answer-format.ts";
import { operatorPlaceSettings, podIdentitySettings, readerSettings } from "#src/commands/reader/settings.ts";
import * as settings from "#src/commands/settings/settings.ts";

/** The settings of `muster why`. */
export const whySettings = {
  object: settings.operand(
    { ...settings.text, placeholder: "NAMESPACE/KIND/NAME" },
    "The object, such as shop/RoleBinding/ci-edits. Kinds are written as in kubectl, such as mrb. Without NAMESPACE/, --namespace applies. A Tenant has no namespace: Tenant/NAME.",
  ),
  namespace: {
    ...settings.flagOnly(
      settings.optional(
        { ...settings.text, placeholder: "NAME" },
        "The namespace of the object. (default: the context's, or default)",
      ),
    ),
    short: "n",
  },
  output: answerOutput(),
  ...readerSettings,
  noPlatform: settings.toggle("Read only the cluster: what the object is on the platform stays unknown."),
  ...podIdentitySettings,
  ...operatorPlaceSettings,
  timeout: settings.withDefault(settings.duration, "15s", "The time limit of each call."),
} as const;

export type WhyValues = settings.Values<typeof whySettings>;
