import * as z from "zod";

/** The field `policy` of a spec. The default of `adoption` differs by kind. */
export function policySchema(adoption: "Never" | "IfExists") {
  return z
    .object({
      adoption: z
        .enum(["Never", "IfExists"])
        .default(adoption)
        .describe(
          `What to do if the platform already has an equal resource that no object manages. ${equality[adoption]} Never reports a Conflict. IfExists manages the existing resource, if there is exactly one. Defaults to ${adoption}.`,
        ),
      deletion: z
        .enum(["Delete", "Orphan"])
        .default("Delete")
        .describe(
          "What to do with the resource on the platform when this object is deleted. Delete deletes the resource. Orphan keeps the resource and stops managing it. Defaults to Delete.",
        ),
      drift: z
        .enum(["Correct", "Report"])
        .default("Correct")
        .describe(
          "What to do if a managed field is changed, or the resource deleted, outside of Kubernetes. Correct restores the spec. Report only reports the change in the status. Defaults to Correct.",
        ),
    })
    .prefault({})
    .describe("How the operator manages the resource on the platform. Can be changed at any time.");
}

/** What makes two resources equal, for the kinds with this default. */
const equality = {
  Never: "Equal means: the same name under the same parent.",
  IfExists: "Equal means: the same group, identity and role.",
} as const;

export type Policy = z.output<ReturnType<typeof policySchema>>;
