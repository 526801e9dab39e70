import { emailKeyOf, nameKeyOf } from "../collections/searched-person.ts";
import type { Condition } from "../resources/row-condition.ts";

/** After every character that a name can have. */
const last = "\u{10ffff}";

/** A filter of a List, as `listPage` takes it. */
interface PersonFilter {
  readonly conditions: readonly Condition<"identities">[];
  readonly scanned: readonly Condition<"identities">[];
}

/**
 * The filter by person: a text with an @ is an e-mail address, any other the beginning of a name, since names have no @. The empty
 * string means no filter. No index serves a name: the entries with the same beginning would be of all tenants, who could slow down
 * each other's searches, and measure how many there are.
 */
export function personFilter(text: string): PersonFilter {
  if (text === "") return { conditions: [], scanned: [] };
  if (text.includes("@")) return { conditions: [(row) => row("person_email", "=", emailKeyOf(text))], scanned: [] };
  const key = nameKeyOf(text);
  const begins: Condition<"identities"> = (row) =>
    row.and([row("person_name", ">=", key), row("person_name", "<", key + last)]);
  return { conditions: [], scanned: [begins] };
}
