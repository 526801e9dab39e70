// Writes crds/*.yaml from the kinds and from Tenant. With --check it writes nothing, and fails if a file is out of date.
import { stringify } from "yaml";
import { customResourceDefinition } from "#src/api/crd.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { writeGenerated } from "./generated-files.ts";

const header = "# Generated from src/api by `npm run generate`. Do not edit.\n";

const files = new Map<string, string>();
for (const definition of [...kinds.map((kind) => kind.definition), tenantDefinition])
  files.set(
    `crds/${definition.plural}.yaml`,
    header + stringify(customResourceDefinition(definition), { lineWidth: 120, aliasDuplicateObjects: false }),
  );
await writeGenerated("src/api", files, "crds");
