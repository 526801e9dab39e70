import { operatorSettings } from "#src/commands/operator/settings.ts";
import { answerOutput } from "#src/commands/output/answer-format.ts";
import { operatorPlaceSettings, podIdentitySettings, readerSettings } from "#src/commands/reader/settings.ts";
import { uid } from "#src/commands/login/settings.ts";
import * as settings from "#src/commands/settings/settings.ts";

const { class: operatorClass, ownerId } = operatorSettings;

/** The settings of `muster doctor`: in the operator's pod, its own variables say everything. */
export const doctorSettings = {
  bundle: settings.flagOnly(
    settings.optional(
      settings.file,
      "Write what a maintainer needs to a new file, which only you can read (mode 0600). It has no token, no environment, no annotation and no description; read it before you send it.",
    ),
  ),
  output: answerOutput(),
  ...readerSettings,
  ...podIdentitySettings,
  rootGroup: settings.optionalList(uid, "The uid of a root group of the operator, for the check of its capabilities."),
  ...operatorPlaceSettings,
  class: operatorClass,
  ownerId,
  operatorUrl: settings.withDefault(
    settings.url,
    "http://127.0.0.1:8080",
    "In the operator's pod: the address at which it serves /readyz.",
  ),
  timeout: settings.withDefault(settings.duration, "15s", "The time limit of each call."),
} as const;

export type DoctorValues = settings.Values<typeof doctorSettings>;
