import * as settings from "#src/commands/settings/settings.ts";
import { uidPattern } from "#src/platform-client/uid.ts";

export const uid = settings.matching(
  "UID",
  uidPattern,
  "a uid: 40 hex digits, then / and 16 hex digits for each level below",
);

/** Which login a command uses. */
export const loginSettings = {
  platformUrl: settings.optional(
    settings.url,
    "The base URL of the platform, exactly as in the platform's --base-url. (default: the platform of the last login)",
  ),
  platformCa: settings.optional(
    settings.file,
    "PEM file with the certificate authorities to trust for the platform and its token service, instead of the default ones. (default: the file of the login)",
  ),
} as const;

/** With which credentials a command calls the platform: with a login, or the token in a file. */
export const platformAccessSettings = {
  ...loginSettings,
  tokenFile: settings.optional(
    settings.file,
    "A file with a token of the platform, as muster token prints it, which is used instead of a login. Needs --platform-url.",
  ),
} as const;

export type LoginValues = settings.Values<typeof loginSettings>;
