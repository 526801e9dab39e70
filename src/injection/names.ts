/** The label of a pod that names its Identity, in the namespace of the pod. */
export const identityLabel = "iam.muster.dev/identity";

/** The annotation of a pod. `none` leaves the agent out; the program exchanges the projected token by itself. */
export const agentAnnotation = "iam.muster.dev/agent";

/**
 * The annotation in which the policy that injects leaves the reason why it did not, for the policy that refuses the pod with
 * this message. Only the first of the two can read the Identity that the label names.
 */
export const refusalAnnotation = "iam.muster.dev/injection-refused";

/** Volumes, and the container of the agent. A pod must not use these names for anything else. */
export const sourceVolume = "muster-source";
export const tokenVolume = "muster-token";
export const authoritiesVolume = "muster-ca";
export const agentContainer = "muster-agent";

/** The projected service-account token, which is exchanged for a token of the platform. */
export const sourceDirectory = "/var/run/muster/source";
export const sourceFile = "token";
/** The token of the platform, which the agent keeps fresh. */
export const tokenDirectory = "/var/run/muster/token";
export const tokenFile = "token";
/** The certificate authorities to trust for the platform, where an administrator has set a ConfigMap with them. */
export const authoritiesDirectory = "/var/run/muster/ca";
export const authoritiesFile = "ca.crt";
