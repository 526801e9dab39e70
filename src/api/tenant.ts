import * as z from "zod";
import { awsAccount } from "./aws-account.ts";
import { conditionSchema } from "./condition.ts";
import type { ObjectMeta } from "./metadata.ts";
import type { apiVersion } from "./custom-resource.ts";
import { namespaceName } from "./reference.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { issuerUrl } from "./issuer-url.ts";
import { azureTenantId, githubInstallationId, googleProject } from "./linked-accounts.ts";
import { exactlyOneOf, immutable, matches, withRules } from "./rule.ts";
import { exactText } from "./text.ts";
import { uid, uidInGroup } from "./uid.ts";

/** How many values a list of a Tenant may have. */
const maxItems = 256;

const list = <Item extends z.ZodType>(item: Item, max = maxItems) =>
  z.array(item).max(max).meta({ "x-kubernetes-list-type": "set" });

const labelKey = z.string().min(1).max(317);
const labelValue = z.string().max(63);

/** The kinds that may be declared if a Tenant does not say: a kind that Muster gained later is declared only if it is listed. */
export const defaultKinds = ["Group", "Identity", "RoleBinding"] as const;

const kindName = withRules(
  z.string().max(63),
  matches(/^[A-Z][A-Za-z]*$/, "must be a kind of iam.muster.dev, such as Group"),
);

const namespaceSelector = withRules(
  z.object({
    matchLabels: z
      .record(labelKey, labelValue.describe("Value of the label."))
      .refine((labels) => Object.keys(labels).length <= 32, "must have at most 32 items")
      .meta({ maxProperties: 32 })
      .exactOptional()
      .describe("Labels that a namespace must have."),
    matchExpressions: z
      .array(
        z
          .object({
            key: labelKey.describe("Key of the label."),
            operator: z
              .enum(["In", "NotIn", "Exists", "DoesNotExist"])
              .describe("How the label relates to the values."),
            values: z
              .array(labelValue.describe("One value."))
              .max(64)
              .meta({ "x-kubernetes-list-type": "atomic" })
              .exactOptional()
              .describe("Values for In and NotIn."),
          })
          .describe("One requirement."),
      )
      .max(32)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe("Requirements that the labels of a namespace must meet. All of them must be met."),
  }),
  {
    rule: "has(self.matchLabels) && size(self.matchLabels) > 0 || has(self.matchExpressions) && size(self.matchExpressions) > 0",
    message:
      "namespaceSelector must have at least one label or expression. To select every namespace, use an expression such as {key: kubernetes.io/metadata.name, operator: Exists}",
    holds: ({ matchLabels = {}, matchExpressions = [] }) =>
      Object.keys(matchLabels).length + matchExpressions.length > 0,
  },
).describe(
  "Labels of the namespaces that the Tenant governs. Exactly one of namespaceSelector and namespaces must be set.",
);

const claimIssuer = withRules(
  z.object({
    issuer: issuerUrl(
      "Issuer, exactly as in the Identity or the IdentityProvider. Exactly one of issuer and issuerPattern must be set.",
    ).exactOptional(),
    issuerPattern: exactText
      .exactOptional()
      .describe(
        "Pattern of issuers, exactly as in the claimMatch of the Identity. Exactly one of issuer and issuerPattern must be set.",
      ),
    subjects: z
      .array(exactText.describe("One subject, such as repo:acme/shop:ref:refs/heads/main."))
      .min(1)
      .max(64)
      .meta({ "x-kubernetes-list-type": "set" })
      .exactOptional()
      .describe("Subjects that are allowed, exactly as in the Identity."),
    subjectPrefixes: z
      .array(
        exactText.describe(
          "One prefix, such as repo:acme/. End it with a delimiter: repo:acme/shop also allows repo:acme/shop2.",
        ),
      )
      .min(1)
      .max(64)
      .meta({ "x-kubernetes-list-type": "set" })
      .exactOptional()
      .describe(
        "Every other subject, and every match of a subject pattern, must begin with one of these prefixes. If subjects and subjectPrefixes are absent, every subject is allowed, except: subject patterns of an issuer at which anybody can have an account or of an issuerPattern, and, at the cluster's own issuer, service accounts of other namespaces.",
      ),
  }),
  exactlyOneOf(["issuer", "issuerPattern"]),
).describe("An issuer that objects may name.");

const credentials = withRules(
  z.object({
    type: z
      .enum(["Operator", "ServiceAccount"])
      .default("Operator")
      .describe(
        'With "Operator", the operator uses its own identity, and enforces the limits of the Tenant itself. With "ServiceAccount", it assumes identityUid with a token of the service account muster-tenant-NAME in its own namespace, so that the platform enforces the limits, too. Defaults to Operator.',
      ),
    identityUid: uidInGroup("UID of the identity to assume. Only with the type ServiceAccount.").exactOptional(),
  }),
  {
    rule: "(has(self.type) && self.type == 'ServiceAccount') == has(self.identityUid)",
    message: "identityUid must be set if type is ServiceAccount, and not otherwise",
    fieldPath: ".identityUid",
    holds: ({ type, identityUid }) => (type === "ServiceAccount") === (identityUid !== undefined),
  },
)
  .prefault({})
  .describe("With whose permissions the operator manages the resources of the Tenant.");

const identityTypes = ["ServiceAccount", "ClaimMatch", "StaticKeys", "Aws"] as const;

export const tenantSpecSchema = withRules(
  z.object({
    namespaceSelector: namespaceSelector.exactOptional(),
    namespaces: list(namespaceName.describe("Name of a namespace."))
      .exactOptional()
      .describe(
        "Names of the namespaces that the Tenant governs. Exactly one of namespaceSelector and namespaces must be set.",
      ),
    groups: list(uid("UID of a group on the platform."))
      .exactOptional()
      .describe(
        "UIDs of groups on the platform whose subtrees the objects may use. The group itself may be used only as a parent, as the group of a role binding, or observed. If absent, none.",
      ),
    roles: list(exactText.describe("Name of a built-in role, or uid of a role."))
      .exactOptional()
      .describe(
        "Roles that may be bound, be the default role of an IdentityProvider, or be granted by a GroupInvite: names of built-in roles, or uids. A Role object may have their capabilities, and be bound without being listed while it has no others. If absent, none.",
      ),
    identityTypes: z
      .array(z.enum(identityTypes).describe("One way to authenticate."))
      .max(identityTypes.length)
      .default(["ServiceAccount", "ClaimMatch"])
      .meta({ "x-kubernetes-list-type": "set" })
      .describe("Ways in which an Identity may be assumed. Defaults to ServiceAccount and ClaimMatch."),
    // Identities and associations share this list: each needs another permission in addition, the type Aws in identityTypes or the kind
    // AccountAssociation in kinds. Only a Tenant that has both permits for one what was listed for the other.
    awsAccounts: list(awsAccount)
      .exactOptional()
      .describe("AWS accounts that an Identity or an AccountAssociation may name. If absent, none."),
    googleProjects: z
      .array(googleProject.describe("A project at Google Cloud."))
      .max(maxItems)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["projectId"] })
      .exactOptional()
      .describe("Projects at Google Cloud that an AccountAssociation may name. If absent, none."),
    azureTenants: list(azureTenantId)
      .exactOptional()
      .describe("IDs of Microsoft Entra tenants that an AccountAssociation may name. If absent, none."),
    githubInstallations: list(githubInstallationId)
      .exactOptional()
      .describe("IDs of installations of GitHub Apps that an AccountAssociation may name. If absent, none."),
    claimIssuers: z
      .array(claimIssuer)
      .max(64)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe(
        "Issuers that an Identity with claimMatch or staticKeys may name, and, if they are listed without subjects and subjectPrefixes, an IdentityProvider. The cluster's own issuer is always allowed for serviceAccountRef, for claimMatch only if it is listed, and never for staticKeys. If absent, none.",
      ),
    kinds: list(kindName.describe("Kind, such as Group."), 16)
      .exactOptional()
      .describe(`Kinds that may be declared. If absent, ${defaultKinds.join(", ")}.`),
    adopt: list(kindName.describe("Kind, such as Group."), 16)
      .exactOptional()
      .describe(
        "Kinds whose existing resources may be adopted. If absent, none. To adopt an identity and change its claims is to capture its permissions.",
      ),
    undeclared: z
      .enum(["Report", "Remove"])
      .default("Report")
      .describe(
        "The most that spec.undeclared of a Group may say. With Report, nothing undeclared is ever removed. Defaults to Report.",
      ),
    breakGlass: list(uidInGroup("UID of an identity."))
      .exactOptional()
      .describe("UIDs of identities that, like their role bindings, are never removed as undeclared, nor adopted."),
    allowOrphan: z
      .boolean()
      .default(false)
      .describe(
        "Whether objects may leave their resources behind on the platform, with spec.policy.deletion Orphan or by leaving spec.policy.management Full. Defaults to false.",
      ),
    credentials,
    class: withRules(
      z.string().max(63),
      matches(
        /^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$/,
        "must be empty, or lowercase letters, digits and '-', starting and ending with a letter or digit",
      ),
    )
      .default("")
      .describe(
        "Which operator serves the Tenant: the one that runs with the same --class. Defaults to none. Immutable.",
      ),
  }),
  exactlyOneOf(["namespaceSelector", "namespaces"]),
  immutable("class", "class is immutable: it is part of the markers on the platform. Create another Tenant"),
).describe("What the objects in the namespaces of the Tenant may do, and with whose permissions.");

export type TenantSpec = z.output<typeof tenantSpecSchema>;
export type IdentityType = (typeof identityTypes)[number];

const count = z.int().min(0);

const tenantStatusSchema = z
  .object({
    observedGeneration: z
      .int()
      .min(-1)
      .default(-1)
      .describe("The metadata.generation that the operator observed last. -1 before that."),
    ownerId: z
      .string()
      .max(256)
      .exactOptional()
      .describe("Owner id of the operator that serves the Tenant, followed by a slash and its class if it has one."),
    namespaces: count.exactOptional().describe("How many namespaces the Tenant governs."),
    objects: z
      .array(
        z
          .object({
            kind: z.string().max(63).describe("Kind of the objects."),
            ready: count.describe("How many are Ready."),
            notReady: count.describe("How many are not Ready."),
          })
          .describe("The objects of one kind."),
      )
      .max(16)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["kind"] })
      .exactOptional()
      .describe("How many objects the Tenant governs, by kind and readiness."),
    orphans: count
      .exactOptional()
      .describe("How many resources in the groups of the Tenant carry our marker and have no object in Kubernetes."),
    orphanUids: z
      .array(z.string().max(2048).describe("One uid."))
      .max(10)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe("The uids of the first ten of them."),
    undeclared: count
      .exactOptional()
      .describe("How many resources that no object declares lie in the groups that objects use, and above them."),
    undeclaredUids: z
      .array(z.string().max(2048).describe("One uid."))
      .max(10)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe("The uids of the first ten of them."),
    unreadableGroups: z
      .array(z.string().max(2048).describe("One uid."))
      .max(10)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe("Groups above the Tenant's groups in which the operator may not list role bindings."),
    abandoned: count
      .exactOptional()
      .describe("How many objects were abandoned since the operator started, and left their resources behind."),
    breakers: z
      .array(
        z
          .object({
            kind: z.string().max(63).describe("Kind of the missing resources."),
            id: z.string().max(64).describe("Value for the annotation iam.muster.dev/confirm."),
            missing: count.describe("How many resources are missing."),
          })
          .describe("One kind whose missing resources are not re-created until a person confirms it."),
      )
      .max(16)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["kind"] })
      .exactOptional()
      .describe(
        "Kinds that lost too many resources at once. To re-create them, set the annotation iam.muster.dev/confirm of the Tenant to the id.",
      ),
    conditions: z
      .array(conditionSchema)
      .max(16)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] })
      .exactOptional()
      .describe("Current state of the Tenant. Ready is the summary."),
  })
  .describe("Most recently observed state of the Tenant. Written by the operator only.");

export type TenantStatus = z.output<typeof tenantStatusSchema>;

/** A Tenant, as read from the API server: which namespaces may do what on the platform, and with whose permissions. */
export interface Tenant {
  readonly apiVersion: typeof apiVersion;
  readonly kind: "Tenant";
  readonly metadata: ObjectMeta;
  readonly spec: TenantSpec;
  readonly status?: TenantStatus;
}

export const tenantDefinition = {
  kind: "Tenant",
  plural: "tenants",
  singular: "tenant",
  shortNames: ["mtenant"],
  description:
    "Tenant says which namespaces may manage what on the Muster platform, and with whose permissions. Objects in a namespace that no Tenant selects are not reconciled. Only cluster administrators should write Tenants.",
  scope: "Cluster",
  specSchema: tenantSpecSchema,
  statusSchema: tenantStatusSchema,
  columns: [{ name: "Credentials", jsonPath: ".spec.credentials.type", description: "With whose permissions." }],
  wideColumns: [{ name: "Owner", jsonPath: ".status.ownerId", description: "Owner id of the operator." }],
} as const satisfies ResourceDefinition;
