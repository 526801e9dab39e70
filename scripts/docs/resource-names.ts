import { apiGroup } from "#src/api/custom-resource.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { kinds } from "#src/kinds/kinds.ts";

const definitions = [...kinds.map(({ definition }) => definition), tenantDefinition];

/** The names by which kubectl knows Muster's kinds, except those that Kubernetes itself may take. */
export const resourceNames: ReadonlySet<string> = new Set(
  definitions.flatMap(({ kind, plural, shortNames }) => [
    ...shortNames,
    `${plural}.${apiGroup}`,
    `${kind.toLowerCase()}.${apiGroup}`,
  ]),
);
