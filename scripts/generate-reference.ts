// Writes docs/reference/resources.md and conditions.md from the kinds. With --check it writes nothing, and fails if a file
// is out of date.
import { tenantDefinition } from "#src/api/tenant.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { writeGenerated } from "./generated-files.ts";
import { conditionsPage, referencePage } from "./reference-page.ts";

await writeGenerated(
  "src/api",
  new Map([
    ["docs/reference/resources.md", referencePage(kinds, [tenantDefinition])],
    ["docs/reference/conditions.md", conditionsPage()],
  ]),
);
