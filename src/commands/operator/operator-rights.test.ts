import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { rightText } from "#src/kube/right.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { leaseRights, operatorRights } from "./operator-rights.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** What a role of deploy/ grants, one text for each right. */
function granted(file: string, namespace?: string): readonly string[] {
  const [role] = parseAllDocuments(readFileSync(`deploy/kustomize/base/${file}`, "utf8"));
  const { rules } = (role?.toJS() ?? {}) as { readonly rules: readonly Rule[] };
  const all = rules.flatMap(({ apiGroups, resourceNames = [undefined], resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((path) =>
        resourceNames.flatMap((name) =>
          verbs.map((verb) => {
            const [resource = "", subresource] = path.split("/");
            return rightText({
              verb,
              group,
              resource,
              ...(subresource === undefined ? {} : { subresource }),
              ...(name === undefined ? {} : { name }),
              ...(namespace === undefined ? {} : { namespace }),
            });
          }),
        ),
      ),
    ),
  );
  // By it, the admission policies recognize the operator: it is not a request.
  return all.filter((text) => !text.startsWith("operate ")).toSorted();
}

it("are what the ClusterRole of deploy/ grants", () => {
  expect(operatorRights(kinds).map(rightText).toSorted()).toEqual(granted("cluster-role.yaml"));
});

it("are, for the Lease, what its Role grants", () => {
  const place = { namespace: "muster-system", name: "muster-operator" };
  expect(leaseRights(place).map(rightText).toSorted()).toEqual(granted("lease-role.yaml", "muster-system"));
});
