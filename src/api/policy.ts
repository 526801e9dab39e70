import * as z from "zod";

/** `adoption` is the default for what to do where the platform already has such an object: it differs by kind. */
export function policySchema(adoption: "Never" | "IfExists") {
  return z
    .object({
      adoption: z
        .enum(["Never", "IfExists"])
        .default(adoption)
        .describe(
          `What to do when the platform already has an object of this name there that nobody manages. Never: report a conflict. IfExists: take it over, if there is only one. Default: ${adoption}.`,
        ),
      deletion: z
        .enum(["Delete", "Orphan"])
        .default("Delete")
        .describe(
          "What becomes of the object on the platform when this one is deleted. Delete: it goes too. Orphan: it stays, unmanaged. Default: Delete.",
        ),
      drift: z
        .enum(["Correct", "Report"])
        .default("Correct")
        .describe(
          "What to do when somebody changes a managed field on the platform. Correct: set it back. Report: only list it in status.drift. Default: Correct.",
        ),
    })
    .prefault({})
    .describe("How far the operator goes. May be changed at any time.");
}

export type Policy = z.output<ReturnType<typeof policySchema>>;
