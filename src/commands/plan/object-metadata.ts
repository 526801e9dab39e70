import * as z from "zod";
import { namespaceName, objectName } from "#src/api/reference.ts";

const texts = z.record(z.string(), z.string());
const text63 = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const characters =
  "letters, digits, '-', '_' and '.', starting and ending with a letter or digit, at most 63 characters";
/** Of all annotations of an object, names included. */
const maxAnnotationBytes = 256 * 1024;

const labels = texts.superRefine((all, context) => {
  for (const [name, value] of Object.entries(all)) {
    if (!isQualifiedName(name)) context.addIssue({ code: "custom", path: [name], message: badName });
    if (value !== "" && !text63.test(value))
      context.addIssue({ code: "custom", path: [name], message: `the value must have only ${characters}` });
  }
});

const annotations = texts.superRefine((all, context) => {
  let bytes = 0;
  for (const [name, value] of Object.entries(all)) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (!isQualifiedName(name.toLowerCase())) context.addIssue({ code: "custom", path: [name], message: badName });
  }
  if (bytes > maxAnnotationBytes)
    context.addIssue({ code: "custom", message: `are larger than ${maxAnnotationBytes / 1024} KiB in all` });
});

const badName = `the name must have only ${characters}; it may begin with a domain in lowercase and '/'`;

function isQualifiedName(text: string): boolean {
  const [name = "", domain, ...others] = text.split("/").toReversed();
  return others.length === 0 && text63.test(name) && (domain === undefined || objectName.safeParse(domain).success);
}

/**
 * The metadata of an object in a file, with the rules of the API server for what a plan uses. The API server refuses other
 * fields; what it sets itself is not looked at.
 */
export const objectMetadata = z.object({
  name: objectName,
  // An empty one is the same as none.
  namespace: z.union([namespaceName, z.literal("")]).nullish(),
  labels: labels.nullish(),
  annotations: annotations.nullish(),
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
