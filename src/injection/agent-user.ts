import type { Pod } from "./pod.ts";

/** The user of the image. */
const imageUser = 65_532;

/**
 * The user of the agent, where its security context must name one: otherwise it has that of the pod's security context, or of the
 * image, and OpenShift may choose one. Every user can do what the agent does. It is never root, as Pod Security `restricted`
 * requires of each container, so where the pod's user is root, the agent's is that of the image.
 */
export const agentUser = {
  cel: `object.spec.?securityContext.?runAsUser.orValue(-1) == 0 ? optional.of(${imageUser}) : optional.none()`,
  of: ({ spec }: Pod): number | undefined => (spec.securityContext?.runAsUser === 0 ? imageUser : undefined),
};
