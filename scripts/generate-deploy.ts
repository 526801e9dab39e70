// Fills the lists of kinds and of public issuers in the manifests in deploy/, and writes the policies of the injection. With --check it writes nothing, and fails if a list is out of date. It
// always fails if a line names a kind and is not generated.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { kinds } from "#src/kinds/kinds.ts";
import { templateSources } from "./chart/chart-templates.ts";
import { writeGenerated } from "./generated-files.ts";
import { fillKinds, kubectlResources } from "./kinds-in-deploy.ts";
import { podInjectionManifests, podInjectionPath } from "./pod-injection-in-deploy.ts";
import { fillPublicIssuers } from "./public-issuers-in-deploy.ts";

const generatedInCharts = new Set([
  "helm/muster/values.yaml",
  ...Object.keys(templateSources).map((name) => `helm/muster/templates/${name}`),
]);
const root = fileURLToPath(new URL("../", import.meta.url));

const files = new Map([[podInjectionPath, podInjectionManifests()]]);
for (const entry of await readdir(join(root, "deploy"), { recursive: true })) {
  if (!entry.endsWith(".yaml") || isGeneratedInCharts(entry)) continue;
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

/** Whether generate-charts.ts writes the file, from what this script writes; or it is reached by a link, too. */
function isGeneratedInCharts(entry: string): boolean {
  return /^helm\/(muster-crds|muster-try-out)\//.test(entry) || generatedInCharts.has(entry);
}
