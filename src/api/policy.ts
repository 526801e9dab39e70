import * as z from "zod";
import { exactlyOneOf, type Rule } from "./rule.ts";

/** @param found how an object that only observes finds the resource. */
function management(found = "by spec.uid or by its unique name") {
  return z
    .enum(["Full", "Observe"])
    .default("Full")
    .describe(
      `Whether the operator manages the resource. With "Full", it creates, updates and deletes the resource. With "Observe", it finds the resource ${found}, never writes to the platform, and only reports. Leaving Full requires spec.allowOrphan of the Tenant, because the resource stays on the platform; leaving Observe is adoption. Defaults to Full.`,
    );
}

const drift = z
  .enum(["Correct", "Report"])
  .default("Correct")
  .describe(
    'What to do if a managed field is changed, or the resource is deleted, outside of Kubernetes. With "Correct", the operator restores the desired state. With "Report", it only reports the change in the status. Defaults to Correct.',
  );

/** @param ifAbsent what happens then, as the rest of a sentence. */
function deletion(noun: string, ifAbsent: string) {
  return z
    .enum(["Delete", "Orphan", "Protect"])
    .exactOptional()
    .describe(
      `What to do with the ${noun} on the platform when this object is deleted. With "Delete", the operator deletes the ${noun}. With "Orphan", which requires spec.allowOrphan of the Tenant, it keeps the ${noun} and stops managing it. With "Protect", the deletion of this object waits until the field is changed. If absent, ${ifAbsent}`,
    );
}

const description = "How the operator manages the resource on the platform. Can be changed at any time.";

/**
 * The field `policy` of a kind whose resources can be adopted. `noun` is as in "the group".
 * @param singleton of a kind of which a group has one resource: what may exist already, and how it is found. By default, the
 * name says so.
 */
export function policySchema(noun: string, singleton?: { readonly existing: string; readonly found: string }) {
  const existing = singleton?.existing ?? `a ${noun} with this name below the same parent`;
  const unique = singleton === undefined ? "there is exactly one and " : "";
  return z
    .object({
      management: management(singleton?.found),
      adoption: z
        .enum(["Never", "IfExists"])
        .default("Never")
        .describe(
          `What to do if the platform already has ${existing}, and no object manages it. With "Never", the operator reports the reason Conflict. With "IfExists", it manages the existing ${noun}, if ${unique}spec.adopt of the Tenant lists the kind. Defaults to Never.`,
        ),
      deletion: deletion(noun, `a ${noun} that the operator created is deleted, and one that it adopted is kept.`),
      drift,
    })
    .prefault({})
    .describe(description);
}

/** The field `policy` of a kind that has no name, and whose resources are always deleted with their objects. */
export function grantPolicySchema(noun: string) {
  return z
    .object({
      management: management(),
      deletion: deletion(noun, `the ${noun} is deleted.`),
      drift,
    })
    .prefault({})
    .describe(description);
}

/**
 * The field `policy` of a kind whose resources are created once, and never changed: `management` and `drift` have one value,
 * because a resource whose secret nobody can read again is neither observed nor corrected.
 */
export function issuePolicySchema() {
  return z
    .object({
      management: z
        .enum(["Full"])
        .default("Full")
        .describe("An invite cannot only be observed, because nobody can read its code. Full is the only value."),
      deletion: deletion("invite", "the invite is deleted."),
      drift: z
        .enum(["Report"])
        .default("Report")
        .describe(
          "An invite is never changed, so a change outside of Kubernetes is only reported. Report is the only value.",
        ),
    })
    .prefault({})
    .describe(description);
}

/** How an object is managed. */
export interface Policy {
  readonly management: "Full" | "Observe";
  /** Absent if the kind has no name by which a resource could be adopted. */
  readonly adoption?: "Never" | "IfExists";
  /** Absent: what Muster created is deleted, and what it adopted is kept. */
  readonly deletion?: "Delete" | "Orphan" | "Protect";
  readonly drift: "Correct" | "Report";
}

/** One of the fields must be set, or none if the object only observes: it need not describe what it does not write. */
export function exactlyOneOfManaged<Value extends { readonly policy: Policy }>(
  fields: readonly (keyof Value & string)[],
): Rule<Value> {
  const { rule, ...others } = exactlyOneOf<Value>(fields);
  const noneSet = fields.map((field) => `!has(self.${field})`).join(" && ");
  return {
    ...others,
    rule: `${rule} || (has(self.policy) && self.policy.management == 'Observe' && ${noneSet})`,
    holds: (value) => {
      const set = fields.filter((field) => value[field] !== undefined).length;
      return set === 1 || (set === 0 && value.policy.management === "Observe");
    },
  };
}
