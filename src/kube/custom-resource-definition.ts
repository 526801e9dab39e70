import type { ResourceKind } from "./object.ts";

export const customResourceDefinitions: ResourceKind = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
};
