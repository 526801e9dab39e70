// Writes the reference of the custom resources and of the conditions from the kinds. With --check it writes nothing, and fails if
// a file is out of date.
import { tenantDefinition } from "#src/api/tenant.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { writeGenerated } from "./generated-files.ts";
import { conditionsPage, referencePages, resourcesFolder } from "./reference-page.ts";

await writeGenerated(
  "src/api",
  new Map([...referencePages(kinds, [tenantDefinition]), ["docs/reference/conditions.md", conditionsPage()]]),
  resourcesFolder,
);
