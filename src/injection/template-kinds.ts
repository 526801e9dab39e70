/** A kind of object that has the template of pods. All of them are in version v1 of their group. */
export interface TemplateKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** The path of the template from the object. */
  readonly path: readonly string[];
}

const ofPods = ["spec", "template"];

export const templateKinds: readonly TemplateKind[] = [
  { group: "", kind: "PodTemplate", plural: "podtemplates", path: ["template"] },
  { group: "", kind: "ReplicationController", plural: "replicationcontrollers", path: ofPods },
  { group: "apps", kind: "Deployment", plural: "deployments", path: ofPods },
  { group: "apps", kind: "StatefulSet", plural: "statefulsets", path: ofPods },
  { group: "apps", kind: "DaemonSet", plural: "daemonsets", path: ofPods },
  { group: "apps", kind: "ReplicaSet", plural: "replicasets", path: ofPods },
  { group: "batch", kind: "Job", plural: "jobs", path: ofPods },
  { group: "batch", kind: "CronJob", plural: "cronjobs", path: ["spec", "jobTemplate", "spec", "template"] },
];
