/**
 * While it is `"true"`, the operator writes nothing for the object except that it is paused. A deletion also waits. An
 * expired grant still ends.
 */
export const pausedAnnotation = "iam.muster.dev/paused";

/** Any new value requests a reconcile at once; `status.lastHandledReconcileAt` repeats the value after it was handled. */
export const reconcileRequestedAtAnnotation = "iam.muster.dev/reconcile-requested-at";

/** If it is `"true"`, deletion removes the finalizer without any call to the platform. */
export const abandonAnnotation = "iam.muster.dev/abandon";

/** On a Tenant: the id of a breaker. Confirms that missing resources are re-created, or that undeclared ones are removed. */
export const confirmAnnotation = "iam.muster.dev/confirm";

/** On a Secret: the issuer to which its values may be sent. */
export const issuerAnnotation = "iam.muster.dev/issuer";

/** On a ServiceAccount: the uid of the identity with which its pods pull images. Only `muster credential-helper kubelet` reads it. */
export const identityUidAnnotation = "iam.muster.dev/identity-uid";

/** What users can set, for the reference documentation. */
export const annotations = [
  {
    name: pausedAnnotation,
    value: '"true"',
    effect:
      "The operator writes nothing for the object until the annotation is removed, except that `Ready` becomes Unknown with the reason `Paused`. A deletion also waits. A grant whose `expiresAt` has passed is still deleted and reported as `Expired`: a pause does not extend it.",
  },
  {
    name: reconcileRequestedAtAnnotation,
    value: "any new value, such as the time",
    effect:
      "The operator reads the resource from the platform at once, and re-creates it if it is gone. `status.lastHandledReconcileAt` repeats the value after that.",
  },
  {
    name: abandonAnnotation,
    value: '"true"',
    effect:
      "Deleting the object removes the finalizer without any call to the platform. The resource stays there. With the admission policy `muster-reserved`, only who may update Tenants can set it.",
  },
  {
    name: issuerAnnotation,
    value: "the issuer, exactly as in `spec.issuer` of the IdentityProvider",
    effect:
      "Only on a Secret. Lets its value be sent to the platform as the client secret for this issuer: whoever may write an IdentityProvider, but not this Secret, cannot have it sent to an issuer of their own.",
  },
  {
    name: identityUidAnnotation,
    value: "a uid: `status.uid` of an Identity",
    effect:
      "Only on a ServiceAccount. Its pods pull images with the token of this identity, on nodes whose kubelet has the credential provider of Muster.",
  },
  {
    name: confirmAnnotation,
    value: "an id, from `status.breakers` of the Tenant or from a message",
    effect:
      "Only on a Tenant. Confirms what the breaker holds back: the re-creation of resources that disappeared at once, or the removal of many undeclared ones.",
  },
] as const;
