import * as z from "zod";
import { type AccountAssociation, accountAssociationDefinition } from "#src/api/account-association.ts";
import { externalText, externalUid } from "#src/platform-client/collection.ts";
import { singletonUids } from "#src/platform-client/uid.ts";
import { desiredName } from "./desired-name.ts";
import type { Fields } from "./fields.ts";
import { byMarker } from "./identification.ts";
import type { Kind } from "./kind.ts";
import { carriedMarker } from "./marker.ts";
import { parentReference } from "./parent-reference.ts";

/** A number as the platform writes it: a text, because it may be too large for JSON. */
const externalNumber = z.union([z.string(), z.int()]).transform(String);

const installation = z.object({ installationId: externalNumber, name: externalText });

// What has no order is read in one: two responses that mean the same are equal, so that a write is not given up as outdated.
const clientIds = z.record(z.string(), z.string()).default({}).transform(byKey);
const installations = z.array(installation).default([]).transform(inOneOrder);
const appInstallations = z.record(z.string(), z.object({ installations })).default({}).transform(byKey);

const externalAccountAssociation = z.object({
  uid: externalUid,
  name: externalText,
  description: externalText,
  createTime: externalText,
  amazon: z.object({ account: externalText }).nullish(),
  google: z.object({ projectId: externalText, projectNumber: externalText }).nullish(),
  azure: z.object({ tenantId: externalText, clientIds }).nullish(),
  github: z.object({ appInstallations }).nullish(),
});
export type ExternalAccountAssociation = z.output<typeof externalAccountAssociation>;

export const accountAssociationKind: Kind<AccountAssociation, ExternalAccountAssociation> = {
  name: "AccountAssociation",
  definition: accountAssociationDefinition,
  collection: {
    name: "accountAssociations",
    api: "iam/v2beta1",
    schema: externalAccountAssociation,
    listCapability: "CAP_IAM_ACCOUNT_ASSOCIATIONS_LIST",
    authenticationFields: [],
    uids: singletonUids,
    naturalKeyOf: carriedMarker,
    nameOf: ({ name }) => name,
    issuing: null,
  },
  noun: "account association",
  identification: byMarker,
  refersTo: ["Group"],
  references: ({ spec }) => [parentReference("spec.groupRef", spec.groupRef, "spec.groupUid", spec.groupUid)],
  desired: (association) => ({
    ...desiredName(association),
    ...(association.spec.description === undefined ? {} : { description: association.spec.description }),
    ...desiredAccounts(association),
  }),
  nameOf: (association) => desiredName(association).name,
  actual: ({ name, description, amazon = null, google = null, azure = null, github = null }) => ({
    name,
    description,
    amazon,
    google,
    azure,
    github,
  }),
  identityOf: () => undefined,
  principal: null,
  bindable: null,
  vouching: null,
  secret: null,
  linking: { accounts: ({ spec }) => spec },
  specPath: (field) => {
    const path = field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return `spec.${path.replace(/^github\.appInstallations/, "github.apps")}`;
  },
};

/**
 * The accounts as a whole: one that the spec does not name, or no longer names, is an access that nobody declared. An object
 * that only observes need not describe them.
 */
function desiredAccounts({ spec: { amazon, google, azure, github } }: AccountAssociation): Fields {
  if ([amazon, google, azure, github].every((one) => one === undefined)) return {};
  const apps = (github?.apps ?? []).map(({ appId, installations: listed }) => {
    const named = listed.map(({ installationId, name = "" }) => ({ installationId, name }));
    return [appId, { installations: inOneOrder(named) }] as const;
  });
  return {
    amazon: amazon ?? null,
    google: google ?? null,
    azure: azure === undefined ? null : { clientIds: {}, ...azure },
    github: github === undefined ? null : { appInstallations: Object.fromEntries(apps) },
  };
}

/** Installations as every equal set is written. */
function inOneOrder(listed: readonly z.output<typeof installation>[]): readonly z.output<typeof installation>[] {
  return listed.toSorted((a, b) => (a.installationId < b.installationId ? -1 : 1));
}

/** The fields as every equal map is written. */
function byKey<T>(fields: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
