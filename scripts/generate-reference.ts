// Writes docs/reference/resources.md from the kinds. With --check it writes nothing, and fails if the file is out of date.
import { tenantDefinition } from "#src/api/tenant.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { writeGenerated } from "./generated-files.ts";
import { referencePage } from "./reference-page.ts";

await writeGenerated("src/api", new Map([["docs/reference/resources.md", referencePage(kinds, [tenantDefinition])]]));
