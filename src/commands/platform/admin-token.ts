import { createNamedAdmin, listNamedAdmins, revokeNamedAdmin } from "#src/platform/named-admins.ts";
import { rotateAdminToken } from "#src/platform/rotate-admin-token.ts";
import type { Database } from "#src/platform/store/database.ts";
import { defineCommand } from "#src/commands/command.ts";
import { anyOutput, type Column, formatValue, recordFormat } from "#src/commands/output/output-format.ts";
import { dataLocation, dataSettings, defaultFile, withExistingDatabase } from "./data.ts";
import * as settings from "#src/commands/settings/settings.ts";

const adminName = {
  placeholder: "NAME",
  parse: (value: string): string => {
    if (!/^[a-z0-9][a-z0-9._@-]{0,62}$/.test(value))
      throw new Error(
        `"${value}" is not a name, such as alice or alice@example.com: at most 63 lowercase letters, digits and . _ @ -`,
      );
    return value;
  },
};

export default defineCommand({
  summary: "create, replace and revoke the admin tokens of a platform, also while it runs",
  description: `An admin token has every permission. Give each person who administers the platform a token of their own, which expires and which the audit log names:
  muster platform admin-token --name alice --expires 8h > alice.token
The token without a name, which the first start created and which never expires, is for emergencies; --rotate replaces it.`,
  settings: {
    name: settings.optional(
      adminName,
      "Print a new token for this admin. An earlier one of the same name ends. Requires --expires.",
    ),
    expires: settings.optional(
      settings.boundedDuration({ least: "1m", most: "720h" }),
      "When the token of --name ends, from now: at most 720h (30 days).",
    ),
    revoke: settings.optional(adminName, "End the token of this admin at once."),
    list: settings.toggle("Print the names of the admins, and when their tokens end."),
    rotate: settings.toggle("Replace the token without a name. The earlier one ends."),
    adminTokenFile: settings.optional(
      settings.file,
      "The file to which --rotate writes the token, with mode 0600. (default: the --data file name with .admin-token appended; required with --database)",
    ),
    output: anyOutput("table"),
    ...dataSettings,
  },
  run: async (values, { stdout }) => {
    const action = actionOf(values);
    const location = dataLocation(values);
    const withData = <T>(work: (database: Database) => Promise<T>) => withExistingDatabase(location, work);
    const now = Date.now();
    switch (action.kind) {
      case "rotate": {
        const file = defaultFile(location, "admin-token", values.adminTokenFile);
        await withData((database) => rotateAdminToken(database, file, now));
        stdout.write(`Wrote the new admin token to ${file}. The earlier one is revoked.\n`);
        return;
      }
      case "create": {
        const { name } = action;
        const expires = now + action.lifetime;
        const token = await withData((database) => createNamedAdmin(database, { name, expires }, now));
        const created = { name, expires: new Date(expires).toISOString(), token };
        stdout.write(values.output === "table" ? `${token}\n` : await formatValue(values.output, created, []));
        return;
      }
      case "revoke":
        await withData((database) => revokeNamedAdmin(database, action.name, now));
        stdout.write(`Revoked the admin token of ${action.name}.\n`);
        return;
      case "list": {
        const admins = await withData(listNamedAdmins);
        const { header, format } = await recordFormat(values.output, columns);
        stdout.write(header);
        for (const { name, expires } of admins)
          stdout.write(format({ name, expires: new Date(expires).toISOString(), expired: expires <= now }));
      }
    }
  },
});

type Action =
  | { readonly kind: "rotate" | "list" }
  | { readonly kind: "create"; readonly name: string; readonly lifetime: number }
  | { readonly kind: "revoke"; readonly name: string };

interface Given {
  readonly rotate: boolean;
  readonly list: boolean;
  readonly name: string | undefined;
  readonly revoke: string | undefined;
  readonly expires: number | undefined;
}

/** @throws SettingsError unless exactly one action is given, with its settings */
function actionOf({ rotate, list, name, revoke, expires }: Given): Action {
  const actions: Action[] = [
    ...(rotate ? [{ kind: "rotate" } as const] : []),
    ...(list ? [{ kind: "list" } as const] : []),
    ...(revoke === undefined ? [] : [{ kind: "revoke", name: revoke } as const]),
    ...(name === undefined ? [] : [{ kind: "create", name, lifetime: expires ?? 0 } as const]),
  ];
  const [action] = actions;
  if (action === undefined || actions.length > 1)
    throw new settings.SettingsError(["exactly one of --name, --revoke, --list and --rotate is required"]);
  if ((action.kind === "create") !== (expires !== undefined))
    throw new settings.SettingsError(["--name and --expires are given together, such as --name alice --expires 8h"]);
  return action;
}

interface ListedAdmin {
  readonly name: string;
  /** RFC 3339, UTC. */
  readonly expires: string;
  readonly expired: boolean;
}

const columns: readonly Column<ListedAdmin>[] = [
  { title: "NAME", of: ({ name }) => name, width: 24 },
  { title: "EXPIRES", of: ({ expires, expired }) => `${expires}${expired ? " (expired)" : ""}`, width: 0 },
];
