// Writes deploy/argocd/argocd-cm.yaml, the health checks of all kinds for Argo CD, from deploy/argocd/health.lua. With --check it
// writes nothing, and fails if the file is out of date. Keys of a ConfigMap cannot have wildcards, so each kind has a key.
import { readFile } from "node:fs/promises";
import { stringify } from "yaml";
import { apiGroup } from "#src/api/custom-resource.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { writeGenerated } from "./generated-files.ts";

const script = await readFile(new URL("../deploy/argocd/health.lua", import.meta.url), "utf8");
const names = [...kinds.map(({ name }) => name), tenantDefinition.kind];
const configMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "argocd-cm", namespace: "argocd", labels: { "app.kubernetes.io/part-of": "argocd" } },
  data: Object.fromEntries(names.map((kind) => [`resource.customizations.health.${apiGroup}_${kind}`, script])),
};
const header = `# Generated from health.lua by npm run generate. Merge it into the settings of Argo CD:
# kubectl -n argocd patch configmap argocd-cm --patch-file deploy/argocd/argocd-cm.yaml
`;

await writeGenerated(
  "deploy/argocd/health.lua",
  new Map([["deploy/argocd/argocd-cm.yaml", `${header}${stringify(configMap, { lineWidth: 0 })}`]]),
);
