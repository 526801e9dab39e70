import { readFile } from "node:fs/promises";
import { stringify } from "yaml";
import { HttpTransport } from "#src/platform-client/transport.ts";
import { uidPattern } from "#src/platform-client/uid.ts";
import { systemClock } from "#src/time/clock.ts";
import { defineCommand } from "./command.ts";
import * as settings from "./settings/settings.ts";

const objectName = /^[a-z0-9-]+\/[a-z0-9.-]+$/;

/** A resource of the platform, as far as this command looks at it. */
interface Row {
  readonly uid: string;
  readonly name?: string;
  readonly claimMatch?: { readonly issuer?: string; readonly subject?: string; readonly audience?: string };
  readonly identity?: { readonly uid?: string };
  readonly role?: { readonly uid?: string };
}

export default defineCommand({
  summary: "make the operator's own identity on the platform, and print the settings that follow from it",
  settings: {
    platformUrl: settings.required(settings.url, "the platform's address"),
    platformCa: settings.optional(settings.file, "PEM file with the authorities to trust, instead of the system's own"),
    adminTokenFile: settings.required(settings.file, "the file with the platform's admin token"),
    issuer: settings.required(settings.text, "the issuer of the cluster's service-account tokens"),
    serviceAccount: settings.withDefault(
      settings.matching("NAMESPACE/NAME", objectName, "NAMESPACE/NAME"),
      "muster-system/muster-operator",
      "the operator's service account",
    ),
    audience: settings.withDefault(settings.text, "muster", "the audience of the token that the operator shows"),
    rootGroup: settings.optional(
      settings.matching("UID", uidPattern, "a uid: 40 hex digits, then / and 16 hex digits for each step down"),
      "the group below which the operator may work (default: the one root group that there is)",
    ),
    role: settings.withDefault(settings.text, "owner", "the built-in role that the operator has there"),
    configMap: settings.withDefault(
      settings.matching("NAMESPACE/NAME", objectName, "NAMESPACE/NAME"),
      "muster-system/muster-identity",
      "the name of the ConfigMap to print",
    ),
  },
  /** Takes up what is there already: it may be run again, and prints the same again. */
  run: async (values, { signal, stdout }) => {
    const ca = values.platformCa === undefined ? {} : { ca: await readFile(values.platformCa, "utf8") };
    const transport = new HttpTransport({ connections: 1, deadlineMs: 30_000, clock: systemClock, ...ca });
    const bearer = (await readFile(values.adminTokenFile, "utf8")).trim();
    const send = async (method: "GET" | "POST", path: string, body?: object) => {
      const call = { name: `${method} ${path}`, method, origin: values.platformUrl.origin, bearer };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      return transport.send({ ...call, path: `/iam/v2beta1/${path}`, ...text }, signal);
    };
    const list = async (collection: string, query: Record<string, string>): Promise<readonly Row[]> => {
      const all: Row[] = [];
      for (let pageToken = ""; ; ) {
        const parameters = new URLSearchParams({ ...query, page_size: "200", page_token: pageToken });
        const page = ((await send("GET", `${collection}?${parameters.toString()}`)) ?? {}) as Record<string, unknown>;
        all.push(...((page[collection] ?? []) as readonly Row[]));
        const next = page["nextPageToken"];
        if (typeof next !== "string" || next === "") return all;
        pageToken = next;
      }
    };
    try {
      const group = values.rootGroup ?? onlyOf(await list("groups", { "uidp.in_root": "true" }));
      const subject = `system:serviceaccount:${values.serviceAccount.replace("/", ":")}`;
      const claimMatch = { issuer: values.issuer, subject, audience: values.audience };
      const below = { "uidp.children_of": group };

      const known = (await list("identities", below)).find((row) => isMatch(row, claimMatch));
      const identity = known ?? ((await send("POST", `identities/${group}`, { name: "muster", claimMatch })) as Row);
      const [role] = await list("roles", { name: values.role });
      if (role === undefined) throw new Error(`--role: the platform has no role "${values.role}"`);
      const bindings = await list("roleBindings", below);
      if (!bindings.some((row) => row.identity?.uid === identity.uid && row.role?.uid === role.uid))
        await send("POST", `roleBindings/${group}`, { identityUid: identity.uid, roleUid: role.uid });

      const [namespace, name] = values.configMap.split("/");
      const data = { MUSTER_IDENTITY: identity.uid, MUSTER_ROOT_GROUP: group };
      stdout.write(stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data }));
    } finally {
      await transport.close();
    }
  },
});

function onlyOf(groups: readonly Row[]): string {
  const [first, ...more] = groups;
  if (first === undefined || more.length > 0)
    throw new Error(`--root-group: the platform has ${groups.length} root groups; name one`);
  return first.uid;
}

function isMatch({ claimMatch }: Row, wanted: Required<NonNullable<Row["claimMatch"]>>): boolean {
  return (
    claimMatch?.issuer === wanted.issuer &&
    claimMatch.subject === wanted.subject &&
    claimMatch.audience === wanted.audience
  );
}
