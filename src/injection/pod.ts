import * as z from "zod";

const named = z.looseObject({ name: z.string() });
const texts = z.record(z.string(), z.string()).nullish();
/** A list that may be absent, as the API server accepts it: missing or null. */
const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

const container = z.looseObject({
  name: z.string(),
  env: list(z.looseObject({ name: z.string(), value: z.string().nullish(), valueFrom: z.unknown().optional() })),
  volumeMounts: list(z.looseObject({ name: z.string(), mountPath: z.string() })),
});

/** The fields of a pod, or of a pod template, that decide about its injection. Other fields are not checked. */
export const podSchema = z.looseObject({
  metadata: z.looseObject({ labels: texts, annotations: texts }).nullish(),
  spec: z.looseObject({
    serviceAccountName: z.string().nullish(),
    serviceAccount: z.string().nullish(),
    securityContext: z.looseObject({ runAsUser: z.number().nullish() }).nullish(),
    os: z.looseObject({ name: z.string() }).nullish(),
    volumes: list(
      z.looseObject({
        name: z.string(),
        emptyDir: z.unknown().optional(),
        configMap: z.unknown().optional(),
        projected: z
          .looseObject({ sources: list(z.looseObject({ serviceAccountToken: z.unknown().optional() })) })
          .nullish(),
      }),
    ),
    initContainers: list(named.extend({ restartPolicy: z.string().nullish(), args: z.array(z.string()).nullish() })),
    containers: z.array(container).min(1, "a pod has at least one container"),
  }),
});

export type Pod = z.output<typeof podSchema>;

/** The service account as which the pod runs. Kubernetes fills in `default`; `serviceAccount` is the former name of the field. */
export function serviceAccountOf({ spec }: Pod): string {
  return spec.serviceAccountName || spec.serviceAccount || "default";
}
