/** `"true"`: leave the object alone, inside and outside, until the annotation goes. */
export const pausedAnnotation = "iam.muster.dev/paused";

/** Any new value asks for a reconcile at once; `status.lastHandledReconcileAt` repeats the value that was answered. */
export const reconcileRequestedAtAnnotation = "iam.muster.dev/reconcile-requested-at";

/** `"true"`: on deletion let go of the object without any call to the platform. */
export const abandonAnnotation = "iam.muster.dev/abandon";
