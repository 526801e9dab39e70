import * as z from "zod";
import { namespaceName, objectName } from "#src/api/reference.ts";

const texts = z.record(z.string(), z.string());

/**
 * The metadata of an object in a file, with the rules of the API server for what a plan uses. The API server refuses other
 * fields; what it sets itself is not looked at.
 */
export const objectMetadata = z.object({
  name: objectName,
  // An empty one is the same as none.
  namespace: z.union([namespaceName, z.literal("")]).nullish(),
  labels: texts.nullish(),
  annotations: texts.nullish(),
  uid: z.string().nullish(),
  resourceVersion: z.string().nullish(),
  generation: z.number().nullish(),
  creationTimestamp: z.unknown().optional(),
  deletionGracePeriodSeconds: z.unknown().optional(),
  deletionTimestamp: z.unknown().optional(),
  finalizers: z.unknown().optional(),
  generateName: z.unknown().optional(),
  managedFields: z.unknown().optional(),
  ownerReferences: z.unknown().optional(),
  selfLink: z.unknown().optional(),
});
