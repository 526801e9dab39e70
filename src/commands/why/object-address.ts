import { tenantDefinition } from "#src/api/tenant.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { didYouMean } from "#src/text/nearest.ts";

/** Which object a question is about. */
export type ObjectAddress =
  | { readonly kind: Kind; readonly namespace: string; readonly name: string }
  | { readonly kind: "Tenant"; readonly name: string };

type Names = Pick<Kind["definition"], "kind" | "plural" | "singular" | "shortNames">;

/**
 * Reads `NAMESPACE/KIND/NAME`, or `KIND/NAME` in a default namespace; a Tenant has no namespace. A kind is written as in
 * kubectl: in any case, singular, plural or short, with or without the API group.
 * @throws {Error} that says what is wrong with the text
 */
export function addressOf(text: string, kinds: readonly Kind[], defaultNamespace: string): ObjectAddress {
  const parts = text.split("/");
  const [name = "", kindText = "", namespace] = parts.toReversed();
  if (parts.length < 2 || parts.length > 3 || parts.includes(""))
    throw new Error(
      `OBJECT: "${text}" is not NAMESPACE/KIND/NAME, such as shop/Group/web, nor KIND/NAME with --namespace`,
    );
  const word = kindText.toLowerCase().replace(/\.iam\.muster\.dev$/, "");
  if (namesOf(tenantDefinition).includes(word)) return { kind: "Tenant", name };
  const kind = kinds.find(({ definition }) => namesOf(definition).includes(word));
  if (kind !== undefined) return { kind, namespace: namespace ?? defaultNamespace, name };
  const known = [...kinds.map((one) => one.name), "Tenant"];
  throw new Error(
    `OBJECT: "${kindText}" is not a kind of Muster${didYouMean(kindText, known) || `; the kinds are ${known.join(", ")}`}`,
  );
}

function namesOf({ kind, plural, singular, shortNames }: Names): readonly string[] {
  return [kind.toLowerCase(), plural, singular, ...shortNames];
}
