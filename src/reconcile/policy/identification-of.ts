import type { DecisionInput } from "./decision-input.ts";
import type { IdentificationRules } from "./identification-rules.ts";
import { identificationByFields } from "./identification-by-fields.ts";
import { identificationByMarker } from "./identification-by-marker.ts";
import { identificationBySecret } from "./identification-by-secret.ts";

/** How the resources of the object's kind are identified. */
export function identificationOf({ kind }: Pick<DecisionInput, "kind">): IdentificationRules {
  switch (kind.identification.by) {
    case "marker":
      return identificationByMarker;
    case "fields":
      return identificationByFields;
    case "secret":
      return identificationBySecret;
  }
}
