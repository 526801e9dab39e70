import type { JsonSchema } from "./json-schema.ts";
import { valuesTable } from "./values-table.ts";

/** The README of the chart `muster`. */
export function chartReadme(values: JsonSchema): string {
  return `<!-- Generated from scripts/chart by \`npm run generate\`. Do not edit. -->
# The chart muster

The Muster operator: access control as Kubernetes objects. The chart needs Kubernetes 1.30 and the CRDs of the chart
\`muster-crds\`, which are a release of their own, so that they are upgraded and outlive this one.
[Install with Helm](../../../docs/operate/install-with-helm.md) has the steps.

\`\`\`yaml
# values.yaml
image:
  repository: registry.example.com/muster
settings:
  platformUrl: https://platform.example.com
  identity: 0123456789abcdef0123456789abcdef01234567/0123456789abcdef
  rootGroup: 0123456789abcdef0123456789abcdef01234567
  allowedRole: [viewer, editor]
tenants:
  shop:
    namespaces: [shop]
    groups: [0123456789abcdef0123456789abcdef01234567]
    roles: [viewer]
\`\`\`

Helm reports values that do not exist, and the operator's settings that are missing.

## Values

${valuesTable(values)}
`;
}
