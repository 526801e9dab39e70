/** What a condition's reason means, and what the user can do about it. */
export interface ReasonDescription {
  readonly meaning: string;
  /** Absent if there is nothing to do. */
  readonly fix?: string;
  /** Links of the reference to pages that say more. */
  readonly see?: string;
}

/** The reasons that this version writes. The reference documentation lists them. */
export const reasons = {
  Available: { meaning: "The resource exists on the platform and matches the spec." },
  Creating: {
    meaning:
      "An earlier create request has an unknown outcome and can still take effect. The operator waits until it cannot, to avoid a duplicate.",
  },
  Deleting: {
    meaning:
      "An earlier create request has an unknown outcome and can still take effect. The operator waits until it cannot, so nothing is left behind.",
  },
  Updating: {
    meaning: "The resource is being adopted or changed on the platform.",
  },
  Checking: {
    meaning: "The operator has not been able to check yet whether the credential of the Tenant works.",
    fix: "If it lasts, read the message. If no operator writes this status, read the operator's log.",
  },
  Paused: {
    meaning: "The annotation `iam.muster.dev/paused` stops reconciliation of this object.",
    fix: "Remove the annotation.",
  },
  InvalidSpec: {
    meaning:
      "The spec of an object or of a Tenant is invalid, or the platform rejected it. The message names each field.",
    fix: "Correct the fields that the message names.",
  },
  ReferenceNotFound: {
    meaning:
      "The object or role that the spec refers to does not exist, or is not visible to the operator. If the object only observes: the platform has no resource with this name.",
    fix: "Create it; the operator continues as soon as it exists. If the reference is wrong, re-create the object with the right one, because references are immutable.",
  },
  ReferenceNotReady: {
    meaning:
      "The object that the spec refers to is not Ready, or is being deleted; or the group of the new resource was deleted on the platform.",
    fix: "If it does not become Ready, read the status of that object.",
  },
  ReferenceNotGranted: {
    meaning:
      "The spec refers to an object in a namespace of another Tenant, and that object does not list this namespace in `spec.allowedNamespaces`.",
    fix: "Ask the owner of that object to add this namespace to its `spec.allowedNamespaces`, or refer to an object of the same Tenant.",
  },
  ParentChanged: {
    meaning: "The parent group was re-created with another uid, and the old resource still exists.",
    fix: "Delete the old resource on the platform. The operator then creates it below the new parent, except for an invite: delete the object and its Secret, and create both again.",
  },
  NoTenant: {
    meaning:
      "No Tenant selects the namespace of this object, or the Tenant of the object only completes deletions, so nothing is done for it.",
    fix: "Ask an administrator to add the namespace to a Tenant.",
  },
  Overlap: {
    meaning: "Several Tenants select the same namespace, so nothing is done for its objects.",
    fix: "Ask an administrator to change the namespaces of all of the Tenants but one.",
  },
  TenantDenied: {
    meaning:
      "The Tenant of the namespace, or the operator's settings, do not allow this. The message names the field and what is allowed. On a Tenant: the operator's settings do not allow what it lists.",
    fix: "Use what is allowed, or ask an administrator to add it to the field of the Tenant that the message names, and to the operator's setting if the message names one. With Helm, these are the values `tenants` and `settings`. If the message names role bindings, somebody bound a role to the identity that the Tenant does not permit: an administrator removes the role binding, or permits the role.",
    see: "[the fields of a Tenant](tenants.md#fields), and [who may assume an identity](ownership.md#who-may-assume-an-identity)",
  },
  TokenUnavailable: {
    meaning: "The operator has no token for the platform, or the platform rejected the token.",
    fix: "Check the network and the operator's settings `--platform-url`, `--auth-url` and `--token-file`; for a Tenant with credentials of its own, the service account `muster-tenant-NAME` and the operator's permission to request its tokens.",
  },
  TokenExchangeFailed: {
    meaning:
      "The platform did not exchange the service-account token of the operator, or of the Tenant. The message names the part that failed.",
    fix: "Compare the `claimMatch` of the identity with the issuer, subject and audience of the service-account token. The identity is the one in the operator's setting `--identity`, or in `spec.credentials` of the Tenant.",
  },
  PermissionDenied: {
    meaning: "The identity of the operator, or of the Tenant's credentials, lacks a permission on the platform.",
    fix: "Bind a role that includes the permission to this identity, in that group or above.",
  },
  QuotaExceeded: {
    meaning: "The request exceeds a quota of the platform. The message names the quota. The operator retries hourly.",
    fix: "Delete resources that count against the quota, or ask an administrator of the platform to raise it.",
  },
  KubernetesForbidden: {
    meaning:
      "Kubernetes refuses a request of the operator for this object: its service account lacks a permission, a quota is exceeded, or an admission policy or webhook rejects the request; or the operator may not read a kind of objects. The message contains what Kubernetes said. A Tenant reports it for its namespaces.",
    fix: "Grant the verb on the resource that the message names to the operator's service account, or change the policy, webhook or quota. The operator retries after at most 6 min, and at once after an edit of the object.",
  },
  OwnerMismatch: {
    meaning:
      "The operator's identity on the platform records another owner id than the operator's, or none, so the operator writes nothing.",
    fix: "Run `muster bootstrap` for this cluster, with the `--class` of the operator if it has one; or set `--owner-id` to the recorded id if this cluster replaces the other one.",
  },
  RootNotFound: {
    meaning: "A group that a Tenant or the operator's settings name cannot be read on the platform.",
    fix: "Correct the uid, or bind a role to the identity that lets it read the group.",
  },
  UnknownRole: {
    meaning: "A Tenant names a role that the platform does not have, or that the identity cannot see.",
    fix: "Correct the name of the role.",
  },
  Conflict: {
    meaning:
      "A resource with the same name exists and is not managed by this object; another object manages the same resource, or wants the same name, grant or Secret and is older; the resource carries the marker of another object or of another Muster installation; or the resource is never written: a root group, a credential, or what belongs to a credential.",
    fix: "Choose another name. To manage the existing resource, if the Tenant allows its adoption, set `spec.policy.adoption: IfExists`, or re-create the object with `spec.uid`. If two objects claim one resource, delete one of them: deleting the one in Conflict leaves the resource unchanged. If objects want each other's names, set `spec.name` of one of them to a third name, wait until all are Ready, and then give it its final name. The message says what applies.",
  },
  Protected: {
    meaning: "The object is being deleted, and `spec.policy.deletion` is Protect.",
    fix: "Set `spec.policy.deletion` to Delete, or to Orphan to keep the resource on the platform.",
  },
  Expired: {
    meaning:
      "The time `spec.expiresAt` has passed. The role binding or invite is being deleted on the platform, or is gone.",
    fix: "Set a later `spec.expiresAt` to grant the role again, or delete the object. An invite is final: delete its object and its Secret, and create both again.",
  },
  ChildrenExist: {
    meaning:
      "The resource cannot be deleted while other resources are in it or refer to it. The message names the Kubernetes objects among them.",
    fix: "Delete these first, on the platform if Kubernetes has no object for them. To keep the resource, set `spec.policy.deletion: Orphan`.",
  },
  PreconditionFailed: {
    meaning: "The platform rejected the request because of the current state of a resource. The message names it.",
    fix: "Change what the message names.",
  },
  RateLimited: {
    meaning:
      "The platform limits the operator's requests. The operator retries after the pause that the platform asked for.",
  },
  PlatformUnavailable: {
    meaning: "The platform is unreachable, or its response is an error or malformed. The operator retries.",
    fix: "If it lasts, check the platform and the network.",
  },
  ExternalGone: {
    meaning:
      "The resource was deleted outside of Kubernetes, and is not re-created: `spec.policy.drift` is Report, `spec.uid` names it, the object only observes, or it is an invite, which was perhaps redeemed.",
    fix: "The message states why. To re-create the resource, set the annotation `iam.muster.dev/reconcile-requested-at` to a new value, set `spec.policy.drift: Correct`, or re-create the object without `spec.uid`. An invite is final: delete its object and its Secret, and create both again.",
  },
  HeldByBreaker: {
    meaning:
      "The resource disappeared together with many others of the same Tenant and kind, so none of them is re-created until a person confirms it.",
    fix: "Find out why they disappeared. To have them re-created, set the annotation `iam.muster.dev/confirm` of the Tenant to the id in its status.",
  },
  UndeclaredAccess: {
    meaning:
      "Resources that no object of this cluster declares lie directly in the group. `status.undeclared` lists them.",
    fix: "Declare them, remove them on the platform, or set `spec.undeclared` to Remove, if the Tenant allows it.",
  },
  DriftDetected: {
    meaning:
      "Managed fields were changed outside of Kubernetes, and are not corrected; or the object only observes, and the resource differs from its spec. `status.drift` lists the fields.",
    fix: "Change the spec to match, revert the change on the platform, set `spec.policy.drift: Correct`, or stop the competing writer.",
  },
} as const satisfies Readonly<Record<string, ReasonDescription>>;

export type Reason = keyof typeof reasons;
