import * as z from "zod";

interface AdoptionTexts {
  /** The resource that can be adopted: "if the platform already has …". */
  readonly existing: string;
  /** What the operator does with IfExists: "it …". */
  readonly ifExists: string;
}

/** The field `policy` of a spec. Both the default and the meaning of `adoption` differ by kind. */
export function policySchema(adoption: "Never" | "IfExists", { existing, ifExists }: AdoptionTexts) {
  return z
    .object({
      adoption: z
        .enum(["Never", "IfExists"])
        .default(adoption)
        .describe(
          `What to do if the platform already has ${existing}, and no object manages it. With "Never", the operator reports the reason Conflict, unless the resource was created after the operator last listed the platform. With "IfExists", it ${ifExists}. Defaults to ${adoption}.`,
        ),
      deletion: z
        .enum(["Delete", "Orphan"])
        .default("Delete")
        .describe(
          'What to do with the resource on the platform when this object is deleted. With "Delete", the operator deletes the resource. With "Orphan", it keeps the resource and stops managing it. Defaults to Delete.',
        ),
      drift: z
        .enum(["Correct", "Report"])
        .default("Correct")
        .describe(
          'What to do if a managed field is changed, or the resource is deleted, outside of Kubernetes. With "Correct", the operator restores the desired state. With "Report", it only reports the change in the status. Defaults to Correct.',
        ),
    })
    .prefault({})
    .describe("How the operator manages the resource on the platform. Can be changed at any time.");
}

export type Policy = z.output<ReturnType<typeof policySchema>>;
