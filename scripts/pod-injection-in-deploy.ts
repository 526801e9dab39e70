import { stringify } from "yaml";
import { defaultSettings } from "#src/injection/description.ts";
import { policies } from "#src/injection/policies.ts";

export const podInjectionPath = "deploy/kustomize/components/pod-injection/policies.yaml";

const header = `# From src/injection/. Run npm run generate
#
# muster-identity injects, muster-identity-required refuses a labelled pod that was not injected, with the reason, and
# muster-identity-warnings warns of an Identity that no pod can name, and muster-identity-misplaced of a label on a Deployment, say,
# whose pods do not have it. Nothing of Muster has to run for a pod to be admitted, and no pod without the label is touched. The
# variables image, requests, limits, env and platformCa are settings.
`;

/** The manifests of the admission policies that inject an identity into pods. */
export function podInjectionManifests(): string {
  const documents = policies(defaultSettings).map((manifest) => stringify(manifest, { lineWidth: 0 }));
  return header + documents.join("---\n");
}
