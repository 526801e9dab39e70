// Fills the lists of kinds and of public issuers in the manifests in deploy/, and writes the policies of the injection. With --check it writes nothing, and fails if a list is out of date. It
// always fails if a line names a kind and is not generated.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { kinds } from "#src/kinds/kinds.ts";
import { writeGenerated } from "./generated-files.ts";
import { fillKinds, kubectlResources } from "./kinds-in-deploy.ts";
import { podInjectionManifests, podInjectionPath } from "./pod-injection-in-deploy.ts";
import { fillPublicIssuers } from "./public-issuers-in-deploy.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

const files = new Map([[podInjectionPath, podInjectionManifests()]]);
for (const entry of await readdir(join(root, "deploy"), { recursive: true })) {
  // The CRDs are generated as a whole, and the values name no kinds.
  if (!entry.endsWith(".yaml") || /^helm\/(muster-crds|muster-try-out)\/|\/values\.yaml$/.test(entry)) continue;
  const path = `deploy/${entry}`;
  if (files.has(path)) continue;
  const manifest = await readFile(join(root, path), "utf8");
  files.set(path, fillPublicIssuers(fillKinds(manifest, kinds, path)));
}
await writeGenerated("src/kinds, src/api/public-issuers.ts and src/injection", files);

// A command in prose has no place for such a comment.
const all = kubectlResources(kinds);
if (!(await readFile(join(root, "docs/operate/uninstall.md"), "utf8")).includes(all)) {
  process.stderr.write(`docs/operate/uninstall.md: the command must delete all kinds: ${all}\n`);
  process.exitCode = 1;
}
