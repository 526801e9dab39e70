import { stringify } from "yaml";
import { HttpTransport } from "#src/platform-client/transport.ts";
import { uidPattern } from "#src/platform-client/uid.ts";
import { systemClock } from "#src/time/clock.ts";
import { defineCommand } from "./command.ts";
import * as settings from "./settings/settings.ts";

const objectName = /^[a-z0-9-]+\/[a-z0-9.-]+$/;

/** The fields of a platform resource that this command uses. */
interface Resource {
  readonly uid: string;
  readonly name?: string;
  readonly claimMatch?: { readonly issuer?: string; readonly subject?: string; readonly audience?: string };
  readonly identity?: { readonly uid?: string };
  readonly role?: { readonly uid?: string };
}

export default defineCommand({
  summary: "create the operator's identity on the platform and print its settings as a ConfigMap",
  settings: {
    platformUrl: settings.required(settings.url, "The platform's base URL."),
    platformCa: settings.optional(
      settings.file,
      "PEM file with the certificate authorities to trust, instead of the default ones.",
    ),
    adminTokenFile: settings.required(settings.file, "File with the platform's admin token."),
    issuer: settings.required(settings.text, "The issuer of the cluster's service-account tokens."),
    serviceAccount: settings.withDefault(
      settings.matching("NAMESPACE/NAME", objectName, "NAMESPACE/NAME"),
      "muster-system/muster-operator",
      "The operator's service account.",
    ),
    audience: settings.withDefault(settings.text, "muster", "The audience of the operator's service-account token."),
    rootGroup: settings.optional(
      settings.matching("UID", uidPattern, "a uid: 40 hex digits, then / and 16 hex digits for each level below"),
      "The group in which the operator manages resources. (default: the only root group)",
    ),
    role: settings.withDefault(settings.text, "owner", "The built-in role to grant to the operator in that group."),
    configMap: settings.withDefault(
      settings.matching("NAMESPACE/NAME", objectName, "NAMESPACE/NAME"),
      "muster-system/muster-identity",
      "The namespace and name of the ConfigMap to print.",
    ),
  },
  /** Idempotent: a second run uses the existing identity and role binding, and prints the same ConfigMap. */
  run: async (values, { signal, stdout }) => {
    const ca =
      values.platformCa === undefined ? {} : { ca: await settings.readTextFile("--platform-ca", values.platformCa) };
    const transport = new HttpTransport({ connections: 1, deadlineMs: 30_000, clock: systemClock, ...ca });
    const bearer = (await settings.readTextFile("--admin-token-file", values.adminTokenFile)).trim();
    const send = async (method: "GET" | "POST", path: string, body?: object) => {
      const { origin } = values.platformUrl;
      const call = { name: `${method} ${path.split("?")[0]} at ${origin}`, method, origin, bearer };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      return transport.send({ ...call, path: `/iam/v2beta1/${path}`, ...text }, signal);
    };
    const list = async (collection: string, query: Record<string, string>): Promise<readonly Resource[]> => {
      const all: Resource[] = [];
      for (let pageToken = ""; ; ) {
        const parameters = new URLSearchParams({ ...query, page_size: "200", page_token: pageToken });
        const page = ((await send("GET", `${collection}?${parameters.toString()}`)) ?? {}) as Record<string, unknown>;
        all.push(...((page[collection] ?? []) as readonly Resource[]));
        const next = page["nextPageToken"];
        if (typeof next !== "string" || next === "") return all;
        pageToken = next;
      }
    };
    try {
      const group = values.rootGroup ?? onlyOf(await list("groups", { "uidp.in_root": "true" }));
      const subject = `system:serviceaccount:${values.serviceAccount.replace("/", ":")}`;
      const claimMatch = { issuer: values.issuer, subject, audience: values.audience };
      const children = { "uidp.children_of": group };

      const existing = (await list("identities", children)).find((resource) => isMatch(resource, claimMatch));
      const identity =
        existing ?? ((await send("POST", `identities/${group}`, { name: "muster", claimMatch })) as Resource);
      const [role] = await list("roles", { name: values.role });
      if (role === undefined) throw new Error(`--role: the role "${values.role}" does not exist on the platform`);
      const bindings = await list("roleBindings", children);
      if (!bindings.some((resource) => resource.identity?.uid === identity.uid && resource.role?.uid === role.uid))
        await send("POST", `roleBindings/${group}`, { identityUid: identity.uid, roleUid: role.uid });

      const [namespace, name] = values.configMap.split("/");
      const data = { MUSTER_IDENTITY: identity.uid, MUSTER_ROOT_GROUP: group };
      stdout.write(stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data }));
    } finally {
      await transport.close();
    }
  },
});

function onlyOf(groups: readonly Resource[]): string {
  const [first, ...more] = groups;
  if (first === undefined || more.length > 0)
    throw new Error(`--root-group is required: the platform has ${groups.length} root groups`);
  return first.uid;
}

function isMatch({ claimMatch }: Resource, wanted: Required<NonNullable<Resource["claimMatch"]>>): boolean {
  return (
    claimMatch?.issuer === wanted.issuer &&
    claimMatch.subject === wanted.subject &&
    claimMatch.audience === wanted.audience
  );
}
