import * as z from "zod";
import { type KubeObject, lastApplied } from "#src/kube/object.ts";

/** Labels and annotations, by their names. */
export interface AppliedNames {
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
}

const names = z.record(z.string(), z.unknown()).catch({});
const namesOfMetadata = z.object({ labels: names, annotations: names }).catch({ labels: {}, annotations: {} });
const lastAppliedObject = z.object({ metadata: namesOfMetadata });
const managers = z
  .array(
    z.object({
      operation: z.string(),
      subresource: z.string().optional(),
      fieldsV1: z
        .object({ "f:metadata": z.object({ "f:labels": names, "f:annotations": names }) })
        .catch({ "f:metadata": { "f:labels": {}, "f:annotations": {} } }),
    }),
  )
  .catch([]);

/**
 * The labels and annotations of an object that an earlier `kubectl apply`, on the client or on the server, has set: the next one
 * removes those that its file does not name. All who apply the object are taken for the one who applies it next.
 */
export function appliedNames({ metadata }: KubeObject): AppliedNames {
  const { annotations: given = {} } = metadata;
  const { managedFields } = metadata as { readonly managedFields?: unknown };
  const { labels, annotations } = lastAppliedMetadata(given[lastApplied]);
  const fields = managers
    .parse(managedFields)
    .filter(({ operation, subresource }) => operation === "Apply" && subresource === undefined)
    .map(({ fieldsV1 }) => fieldsV1["f:metadata"]);
  return {
    labels: [...Object.keys(labels), ...fields.flatMap((one) => fieldNames(one["f:labels"]))],
    annotations: [...Object.keys(annotations), ...fields.flatMap((one) => fieldNames(one["f:annotations"]))],
  };
}

function lastAppliedMetadata(text: string | undefined): z.output<typeof namesOfMetadata> {
  try {
    return lastAppliedObject.parse(JSON.parse(text ?? "")).metadata;
  } catch {
    return { labels: {}, annotations: {} };
  }
}

/** `f:NAME` of each; the entry `.` is the map itself. */
function fieldNames(fields: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(fields).flatMap((field) => (field.startsWith("f:") ? [field.slice(2)] : []));
}
