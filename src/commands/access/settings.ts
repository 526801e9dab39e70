import * as settings from "#src/commands/settings/settings.ts";
import { answerOutput } from "#src/commands/output/answer-format.ts";
import { maxObjects } from "#src/commands/reader/object-limit.ts";
import { noCluster, podIdentitySettings, readerSettings } from "#src/commands/reader/settings.ts";

/** With which credentials a command of `muster access` reads, and from where. */
export const accessReaderSettings = {
  ...readerSettings,
  ...podIdentitySettings,
  noCluster,
  maxObjects,
  timeout: settings.withDefault(settings.duration, "60s", "The time limit of each call of the platform."),
} as const;

export type AccessValues = settings.Values<typeof accessReaderSettings>;

/** In addition, how the answer to a question is printed. */
export const accessSettings = { output: answerOutput(), ...accessReaderSettings } as const;

export const capability = settings.operand(
  { ...settings.text, placeholder: "CAPABILITY" },
  "The capability, such as repo.create or CAP_REPO_CREATE.",
);

export const subject = settings.operand(
  { ...settings.text, placeholder: "IDENTITY" },
  "The identity: its uid, or its name or path if that is unique, such as shop/ci.",
);

/** Not a variable, which `muster login --group` has for another purpose: it is the content of a question. */
export const group = settings.flagOnly(
  settings.required(
    { ...settings.text, placeholder: "GROUP" },
    "The group: its uid, or its name or path if that is unique, such as acme/shop. The uid of a resource in a group, such as a repo, is also accepted.",
  ),
);
