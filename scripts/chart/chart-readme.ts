import type { JsonSchema } from "./json-schema.ts";
import { type DescribedElsewhere, valuesTable } from "./values-table.ts";

const reference = "../../../docs/reference";
const describedElsewhere: DescribedElsewhere = {
  settings: `[\`muster operator\`](${reference}/cli/operator.md)`,
  tenants: `[Tenant](${reference}/resources/tenant.md#spec)`,
  "platform.settings": `[\`muster platform\`](${reference}/cli/platform.md)`,
};

/** The README of the chart `muster`. */
export function chartReadme(values: JsonSchema): string {
  return `<!-- Generated from scripts/chart by \`npm run generate\`. Do not edit. -->
# The chart muster

For **platform engineers**: look up a value of the chart.

The Muster operator: access control as Kubernetes objects. The chart needs Kubernetes 1.30 and the CRDs of the chart
\`muster-crds\`, a release of its own: the CRDs are upgraded first, and outlive this release.
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

${valuesTable(values, describedElsewhere)}
`;
}
