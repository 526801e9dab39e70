import * as z from "zod";
import { builtInRole } from "./built-in-role.ts";
import type { CustomResource } from "./custom-resource.ts";
import { issuerUrl } from "./issuer-url.ts";
import { nameAndDescription, nameColumn } from "./naming.ts";
import { policySchema } from "./policy.ts";
import { reference } from "./reference.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { exactlyOneOf, immutable, withRules } from "./rule.ts";
import { secretReference } from "./secret-reference.ts";
import { statusSchema } from "./status.ts";
import { exactText } from "./text.ts";
import { directlyBelow, uid, uidInGroup } from "./uid.ts";

const fixedGroup =
  "is immutable: an identity provider cannot be moved. Delete this IdentityProvider and create it in the other group";
const fixedPeople =
  "is immutable: other people would log in. Delete this IdentityProvider and create another, with another name if both are to exist for a while";

export const identityProviderSpecSchema = withRules(
  z.object({
    groupRef: reference(
      "Group",
      "Reference to the Group whose people log in. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    groupUid: uid(
      "UID of the group on the platform whose people log in, for a group that is not managed as a Group object. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    ...nameAndDescription("identity provider"),
    issuer: issuerUrl(
      "Issuer of the ID tokens, identical to iss in them. spec.claimIssuers of the Tenant must list it without subjects and subjectPrefixes. Immutable.",
    ),
    clientId: exactText.describe("Client ID of the platform at the issuer. Immutable."),
    clientSecretRef: secretReference(
      "clientSecret",
      "Secret with the client secret of the platform at the issuer. Its annotation iam.muster.dev/issuer must be the issuer. It is sent when the Secret is another or has changed, or when the identity provider was changed on the platform; with policy.drift Report only when the Secret is another or has changed. The operator may read it only if a Role of Kubernetes RBAC names it; the condition Ready prints the commands that grant that. If absent, the identity provider has no client secret, and PKCE alone protects the login.",
    ).exactOptional(),
    defaultRoleRef: builtInRole(
      "Built-in role, by its name, that everybody gets in the group at the first login. spec.roles of the Tenant must list it. Exactly one of defaultRoleRef and defaultRoleUid must be set.",
    ).exactOptional(),
    defaultRoleUid: uid(
      "UID of the role that everybody gets in the group at the first login: a built-in role or a role of a group. spec.roles of the Tenant must list it. Exactly one of defaultRoleRef and defaultRoleUid must be set.",
    ).exactOptional(),
    additionalScopes: z
      .array(exactText.describe("One scope, such as email."))
      .max(16)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe("Scopes that the login requests in addition to openid. If absent, none."),
    groupsClaim: exactText
      .exactOptional()
      .describe("Claim of the ID token that lists the groups of the person. If absent, none."),
    pkceEnabled: z
      .boolean()
      .default(true)
      .describe(
        "Whether the login uses PKCE. It can be false only if clientSecretRef is set and the issuer does not know PKCE. Defaults to true.",
      ),
    uid: uidInGroup(
      "UID of an existing identity provider on the platform to manage instead of creating one. The identity provider must be directly in the group. Requires the Tenant's permission to adopt. Immutable.",
    ).exactOptional(),
    policy: policySchema("identity provider"),
  }),
  exactlyOneOf(["groupRef", "groupUid"]),
  exactlyOneOf(["defaultRoleRef", "defaultRoleUid"]),
  {
    rule: "!has(self.pkceEnabled) || self.pkceEnabled || has(self.clientSecretRef)",
    message: "clientSecretRef must be set if pkceEnabled is false: otherwise nothing protects the login",
    fieldPath: ".clientSecretRef",
    holds: ({ pkceEnabled, clientSecretRef }) => pkceEnabled || clientSecretRef !== undefined,
  },
  immutable("groupRef", `groupRef ${fixedGroup}`),
  immutable("groupUid", `groupUid ${fixedGroup}`),
  immutable("issuer", `issuer ${fixedPeople}`),
  immutable("clientId", `clientId ${fixedPeople}`),
  immutable("uid", "uid is immutable: delete this IdentityProvider and create another"),
  directlyBelow("groupUid"),
).describe("Desired state of the identity provider.");

/** Where the people of a group log in, and the role that they get there. */
export type IdentityProvider = CustomResource<z.output<typeof identityProviderSpecSchema>, "IdentityProvider">;

export const identityProviderDefinition = {
  kind: "IdentityProvider",
  plural: "identityproviders",
  singular: "identityprovider",
  shortNames: ["midp"],
  description:
    "IdentityProvider lets the people of a group on the Muster platform, and of the groups below it, log in at an OpenID provider. Everybody who does gets the default role in the group. A Tenant must list the kind in spec.kinds.",
  scope: "Namespaced",
  specSchema: identityProviderSpecSchema,
  statusSchema,
  columns: [
    { name: "Group", jsonPath: ".spec.groupRef.name", description: "Name of the Group whose people log in." },
    {
      name: "Role",
      jsonPath: ".spec.defaultRoleRef.name",
      description: "Role that everybody gets at the first login.",
    },
  ],
  wideColumns: [
    nameColumn,
    { name: "Issuer", jsonPath: ".spec.issuer", description: "Issuer of the ID tokens." },
    { name: "Client ID", jsonPath: ".spec.clientId", description: "Client ID of the platform at the issuer." },
  ],
} as const satisfies ResourceDefinition;
