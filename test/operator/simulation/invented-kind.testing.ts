import { byMarker } from "#src/kinds/identification.ts";
import * as z from "zod";
import type { CustomResource } from "#src/api/custom-resource.ts";
import { nameAndDescription, nameColumn } from "#src/api/naming.ts";
import { policySchema } from "#src/api/policy.ts";
import { reference } from "#src/api/reference.ts";
import type { ResourceDefinition } from "#src/api/resource-definition.ts";
import { exactlyOneOf, immutable, withRules } from "#src/api/rule.ts";
import { statusSchema } from "#src/api/status.ts";
import { exactText } from "#src/api/text.ts";
import { directlyBelow, uid, uidInGroup } from "#src/api/uid.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker } from "#src/kinds/marker.ts";
import { parentReference } from "#src/kinds/parent-reference.ts";
import { externalText, externalUid } from "#src/platform-client/collection.ts";
import { childUids } from "#src/platform-client/uid.ts";

// All that it takes to add a kind: the Kubernetes side, which belongs in src/api/, and its description, which belongs in
// src/kinds/. It is the example in docs/adding-a-kind.md.

const fixed = "is immutable: a repository cannot be moved. Delete this Repo and create it in the other group";

const repoSpecSchema = withRules(
  z.object({
    groupRef: reference(
      "Group",
      "Reference to the Group that contains the repository. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    groupUid: uid(
      "UID of the group on the platform that contains the repository, for a group that is not managed as a Group object. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    ...nameAndDescription("repository"),
    bundles: z
      .array(exactText.describe("Name of a bundle."))
      .max(16)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe("Bundles of which the repository is part."),
    uid: uidInGroup(
      "UID of an existing repository on the platform to manage instead of creating one. The repository must be directly in the group. Immutable.",
    ).exactOptional(),
    policy: policySchema("repository"),
  }),
  exactlyOneOf(["groupRef", "groupUid"]),
  immutable("groupRef", `groupRef ${fixed}`),
  immutable("groupUid", `groupUid ${fixed}`),
  immutable("uid", "uid is immutable: delete this Repo and create another"),
  directlyBelow("groupUid"),
).describe("Desired state of the repository.");

/** A repository in the registry of the platform. */
export type Repo = CustomResource<z.output<typeof repoSpecSchema>, "Repo">;

export const repoDefinition = {
  kind: "Repo",
  plural: "repos",
  singular: "repo",
  shortNames: ["mrepo"],
  description: "Repo is a repository in the registry of the Muster platform.",
  scope: "Namespaced",
  specSchema: repoSpecSchema,
  statusSchema,
  columns: [
    { name: "Group", jsonPath: ".spec.groupRef.name", description: "Name of the Group that contains the repository." },
  ],
  wideColumns: [nameColumn],
} as const satisfies ResourceDefinition;

const externalRepo = z.object({
  uid: externalUid,
  name: externalText,
  description: externalText,
  bundles: z.array(z.string()).default([]),
});
export type ExternalRepo = z.output<typeof externalRepo>;

export const repoKind: Kind<Repo, ExternalRepo> = {
  name: "Repo",
  definition: repoDefinition,
  collection: {
    name: "repos",
    api: "registry/v2beta1",
    schema: externalRepo,
    listCapability: "CAP_REPO_LIST",
    authenticationFields: [],
    uids: childUids,
    issuing: null,
    naturalKeyOf: carriedMarker,
    nameOf: ({ name }) => name,
  },
  noun: "repository",
  identification: byMarker,
  refersTo: ["Group"],
  references: ({ spec }) => [parentReference("spec.groupRef", spec.groupRef, "spec.groupUid", spec.groupUid)],
  desired: ({ spec, metadata }) => ({
    name: spec.name ?? metadata.name,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    ...(spec.bundles === undefined ? {} : { bundles: spec.bundles }),
  }),
  nameOf: ({ spec, metadata }) => spec.name ?? metadata.name,
  actual: ({ name, description, bundles }) => ({ name, description, bundles }),
  identityOf: () => undefined,
  principal: null,
  bindable: null,
  vouching: null,
  secret: null,
  linking: null,
  specPath: (field) => `spec.${field}`,
};
