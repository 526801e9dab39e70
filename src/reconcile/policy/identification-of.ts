import type { DecisionInput } from "./decision-input.ts";
import type { Identification } from "./identification.ts";
import { byFields } from "./identification-by-fields.ts";
import { byMarker } from "./identification-by-marker.ts";
import { bySecret } from "./identification-by-secret.ts";

/** How the resources of the object's kind are identified. */
export function identificationOf({ kind }: Pick<DecisionInput, "kind">): Identification {
  switch (kind.identification.by) {
    case "marker":
      return byMarker;
    case "fields":
      return byFields;
    case "secret":
      return bySecret;
  }
}
