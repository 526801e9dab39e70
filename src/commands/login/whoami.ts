import { defineCommand } from "#src/commands/command.ts";
import { anyOutput, formatValue } from "#src/commands/output/output-format.ts";
import { personText, type ShownPerson, shownPerson } from "#src/commands/output/person-text.ts";
import { isJsonObject } from "#src/json/json-object.ts";
import { readTokenClaims } from "#src/login/token-claims.ts";
import { seconds } from "#src/time/durations.ts";
import { withExitCode } from "./exit-code.ts";
import { pagesOf } from "./list-pages.ts";
import { PlatformApi } from "./platform-api.ts";
import { loginSettings } from "./settings.ts";
import { openStoredLogin } from "./stored-login.ts";

const deadlineMs = seconds(30);

/** More roles are not printed, and no more pages are read. */
const maxRoles = 1000;
const maxPages = 100;

export default defineCommand({
  summary: "print who you are on a platform, your roles, and when the login ends",
  settings: { ...loginSettings, output: anyOutput("table") },
  run: (values, context) =>
    withExitCode(async () => {
      const stored = await openStoredLogin(values, context);
      const api = new PlatformApi(stored, { deadlineMs, signal: context.signal });
      const claims = readTokenClaims((await stored.session.tokens()).accessToken);
      const uid = claims?.identity;
      const identity = uid === undefined ? undefined : await api.find(`/iam/v2beta1/identities/${uid}`);
      const roles = uid === undefined ? [] : await rolesOf(api, uid);
      // The calls may have renewed them.
      const { endsAt, expiresAt } = await stored.session.tokens();
      const me = {
        platform: stored.platform,
        identity: { ...(uid === undefined ? {} : { uid }), ...nameOf(identity), ...personOf(identity) },
        ...(claims?.issuer === undefined ? {} : { issuer: claims.issuer }),
        ...(claims?.subject === undefined ? {} : { subject: claims.subject }),
        roles,
        tokenExpires: new Date(expiresAt).toISOString(),
        ...(endsAt === undefined ? {} : { loginExpires: new Date(endsAt).toISOString() }),
      };
      context.stdout.write(await formatValue(values.output, me, rowsOf(me)));
    }),
});

interface Named {
  readonly uid?: string;
  readonly name?: string;
}

interface GroupRole {
  readonly group: Named;
  readonly role: Named;
}

interface Me {
  readonly platform: string;
  readonly identity: Named & { readonly person?: ShownPerson };
  readonly issuer?: string;
  readonly subject?: string;
  readonly roles: readonly GroupRole[];
  /** RFC 3339, UTC. */
  readonly tokenExpires: string;
  readonly loginExpires?: string;
}

function rowsOf(me: Me): readonly (readonly [string, string])[] {
  const roles = me.roles.map(({ group, role }) => `${role.name ?? role.uid ?? "?"} in ${display(group)}`);
  return [
    ["Platform", me.platform],
    ...(me.identity.person === undefined ? [] : [["Person", personText(me.identity.person)] as const]),
    ["Identity", display(me.identity)],
    ...(me.issuer === undefined ? [] : [["Issuer", me.issuer] as const]),
    ...(me.subject === undefined ? [] : [["Subject", me.subject] as const]),
    ...(roles.length === 0 ? ["none that you may list"] : roles).map(
      (role, index) => [index === 0 ? "Roles" : "", role] as const,
    ),
    ["Token expires", me.tokenExpires],
    ["Login expires", me.loginExpires ?? "not known"],
  ];
}

function display({ name, uid }: Named): string {
  return name === undefined ? (uid ?? "not known") : `${name}${uid === undefined ? "" : ` (${uid})`}`;
}

/** The roles that the bindings of an identity grant, as far as the caller may list them. */
async function rolesOf(api: PlatformApi, identity: string): Promise<readonly GroupRole[]> {
  const roles: GroupRole[] = [];
  const query = new URLSearchParams({ identity });
  const read = async (path: string) => {
    const { roleBindings, nextPageToken } = (await api.find(path)) ?? {};
    return { roleBindings: Array.isArray(roleBindings) ? roleBindings : [], nextPageToken };
  };
  let pages = 0;
  for await (const bindings of pagesOf(read, `/iam/v2beta1/roleBindings?${query.toString()}`)) {
    roles.push(...bindings.filter(isJsonObject).map(({ group, role }) => ({ group: named(group), role: named(role) })));
    pages += 1;
    if (pages === maxPages || roles.length >= maxRoles) break;
  }
  return roles;
}

function named(value: unknown): Named {
  return isJsonObject(value)
    ? { ...(typeof value["uid"] === "string" ? { uid: value["uid"] } : {}), ...nameOf(value) }
    : {};
}

function personOf(identity: Readonly<Record<string, unknown>> | undefined): { readonly person?: ShownPerson } {
  const person = isJsonObject(identity?.["person"]) ? shownPerson(identity["person"]) : undefined;
  return person === undefined ? {} : { person };
}

function nameOf(value: Readonly<Record<string, unknown>> | undefined): { readonly name?: string } {
  return typeof value?.["name"] === "string" ? { name: value["name"] } : {};
}
