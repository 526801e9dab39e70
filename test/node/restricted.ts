/** What the restricted Pod Security Standard requires of the spec of a pod. */
export const restrictedPod = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
} as const;

/** What it requires of a container, whose image names a user. */
export const restrictedContainer = {
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
} as const;
