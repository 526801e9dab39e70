import type { ResourceKind } from "./object.ts";

export const serviceAccountResource: ResourceKind = {
  group: "",
  version: "v1",
  plural: "serviceaccounts",
  kind: "ServiceAccount",
};
