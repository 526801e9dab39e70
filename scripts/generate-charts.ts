// Writes what the charts in deploy/helm share with the rest of the repository: the CRDs, the templates of objects that Kustomize
// has, too, and the values with their schema and documentation. With --check it writes nothing, and fails if a file is out of date.
import { readdir, readFile } from "node:fs/promises";
import { parseDocument } from "yaml";
import { chartReadme } from "./chart/chart-readme.ts";
import { chartTemplate, templateSources } from "./chart/chart-templates.ts";
import { valuesYaml } from "./chart/values-yaml.ts";
import { chartValues } from "./chart/values.ts";
import { writeGenerated } from "./generated-files.ts";

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), "utf8");
const files = new Map<string, string>();

const definitions = "deploy/helm/muster-crds/templates";
for (const name of await readdir(new URL("../crds/", import.meta.url))) {
  const definition = parseDocument(await read(`crds/${name}`));
  // Without its CRD, every object of a kind would be deleted, and the operator could not remove finalizers.
  definition.setIn(["metadata", "annotations"], { "helm.sh/resource-policy": "keep" });
  files.set(`${definitions}/${name}`, definition.toString({ lineWidth: 120 }));
}

const chart = "deploy/helm/muster";
for (const [name, source] of Object.entries(templateSources)) {
  const manifests = await Promise.all(source.manifests.map((path) => read(`deploy/${path}`)));
  files.set(`${chart}/templates/${name}`, chartTemplate(source, manifests));
}
for (const component of ["operator", "platform"])
  files.set(`${chart}/files/muster-${component}.json`, await read(`deploy/monitoring/${component}/dashboard.json`));
const schema = { $schema: "http://json-schema.org/draft-07/schema#", ...chartValues };
files.set(`${chart}/values.schema.json`, `${JSON.stringify(schema, undefined, 2)}\n`);
files.set(`${chart}/values.yaml`, valuesYaml(chartValues));
files.set(`${chart}/README.md`, chartReadme(chartValues));

await writeGenerated("src/api, src/commands, deploy and scripts/chart", files, definitions);
