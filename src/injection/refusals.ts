import type { Identity } from "#src/api/identity.ts";
import { type InjectionValues, type Mount, withAgent, withoutAgent } from "./description.ts";
import {
  agentAnnotation,
  agentContainer,
  authoritiesVolume,
  identityLabel,
  sourceVolume,
  tokenVolume,
} from "./names.ts";
import { type Pod, serviceAccountOf } from "./pod.ts";
import { celLiteral, fill } from "./template.ts";

/** A labelled pod, and the Identity that its label names. */
export interface Candidate {
  readonly pod: Pod;
  readonly namespace: string;
  readonly identity: Identity;
}

/** A labelled pod, the values of its Identity, and the settings. */
export interface InjectablePod {
  readonly pod: Pod;
  readonly values: InjectionValues;
}

/** Part of a message, in CEL and in TypeScript. */
interface Text<Input> {
  readonly cel: string;
  readonly of: (input: Input) => string;
}

/** A reason why a labelled pod is not injected: as a CEL expression for the policy, and the same in TypeScript for `muster inject`. */
export interface Refusal<Input> {
  readonly cel: string;
  readonly holds: (input: Input) => boolean;
  /** What is wrong, where, and how to fix it. It follows the name of the Identity. */
  readonly message: readonly (string | Text<Input>)[];
}

/** The name of the pod's Identity, as all messages begin. */
export const messageStart: Text<{ readonly name: string; readonly namespace: string }> = {
  cel: `"Identity " + object.metadata.labels["${identityLabel}"] + " in namespace " + request.namespace`,
  of: ({ name, namespace }) => `Identity ${name} in namespace ${namespace}`,
};

/** Of a pod that names no Identity of its namespace. It follows the name. */
export const doesNotExist: Text<{ readonly namespace: string }> = {
  cel: `" does not exist. Create it, or correct metadata.labels[${identityLabel}] of the pod: kubectl get identities.iam.muster.dev -n " + request.namespace`,
  of: ({ namespace }) =>
    ` does not exist. Create it, or correct metadata.labels[${identityLabel}] of the pod: kubectl get identities.iam.muster.dev -n ${namespace}`,
};

/** Of a pod whose label names nothing. */
export const emptyLabel = `metadata.labels[${identityLabel}] of the pod is empty. Set it to the name of an Identity in the namespace of the pod, or remove it`;

/** Of an object whose pods do not have the label that it has itself. @param path of the template of its pods */
export function misplacedLabel(path: readonly (string | number)[]): string {
  return `metadata.labels[${identityLabel}] has no effect here. Set it in ${path.join(".")}.metadata.labels`;
}

/** Of the text of a condition. The API server drops messages of more than 5 KiB. */
const maxReadyMessage = 1000;

const ready: Text<Candidate> = {
  cel: "variables.ready",
  of: ({ identity }) => {
    const condition = identity.status?.conditions?.find(({ type }) => type === "Ready");
    if (condition === undefined) return "the operator has not reported on it yet";
    return Array.from(`${condition.reason}: ${condition.message}`).slice(0, maxReadyMessage).join("");
  },
};
const describeCommand: Text<Candidate> = {
  cel: `"kubectl describe identities.iam.muster.dev " + params.metadata.name + " -n " + request.namespace`,
  of: ({ identity, namespace }) =>
    `kubectl describe identities.iam.muster.dev ${identity.metadata.name} -n ${namespace}`,
};
const account: Text<Candidate> = {
  cel: "variables.account",
  of: ({ pod }) => serviceAccountOf(pod),
};
const wantedAccount: Text<Candidate> = {
  cel: "string(params.spec.serviceAccountRef.name)",
  of: ({ identity }) => identity.spec.serviceAccountRef?.name ?? "",
};
const subject: Text<Candidate> = {
  cel: `"system:serviceaccount:" + request.namespace + ":" + variables.account`,
  of: ({ pod, namespace }) => `system:serviceaccount:${namespace}:${serviceAccountOf(pod)}`,
};
const wantedSubject: Text<Candidate> = {
  cel: 'string(params.status.exchange.?subject.orValue(""))',
  of: ({ identity }) => identity.status?.exchange?.subject ?? "",
};

/** Reasons that concern the Identity, in the order in which they are checked. */
export const identityRefusals: readonly Refusal<Candidate>[] = [
  {
    cel: "has(params.metadata.deletionTimestamp)",
    holds: ({ identity }) => identity.metadata.deletionTimestamp !== undefined,
    message: [" is being deleted. Create it again, or remove the label ", identityLabel, " from the pod"],
  },
  {
    cel: "!has(params.status) || !has(params.status.uid) || !has(params.status.exchange)",
    holds: ({ identity: { status } }) => status?.uid === undefined || status.exchange === undefined,
    message: [" is not on the platform yet (", ready, "). Wait until it is Ready, or fix it: ", describeCommand],
  },
  {
    cel: "has(params.spec.awsIdentity)",
    holds: ({ identity }) => identity.spec.awsIdentity !== undefined,
    message: [
      " is assumed by AWS principals (spec.awsIdentity), not by pods. Use an Identity with spec.serviceAccountRef",
    ],
  },
  {
    cel: "!has(params.status.exchange.audience) || (has(params.spec.claimMatch) && has(params.spec.claimMatch.audiencePattern))",
    holds: ({ identity: { spec, status } }) =>
      status?.exchange?.audience === undefined || spec.claimMatch?.audiencePattern !== undefined,
    message: [
      " accepts tokens by a pattern of audiences, and the token of a pod has one audience. Set spec.claimMatch.audience of the Identity instead of audiencePattern",
    ],
  },
  {
    cel: "has(params.spec.serviceAccountRef) && params.spec.serviceAccountRef.name != variables.account",
    holds: ({ identity, pod }) =>
      identity.spec.serviceAccountRef !== undefined && identity.spec.serviceAccountRef.name !== serviceAccountOf(pod),
    message: [
      " is for the service account ",
      wantedAccount,
      " (spec.serviceAccountRef), and the pod runs as ",
      account,
      ". Set spec.serviceAccountName of the pod to ",
      wantedAccount,
      ", or use an Identity for ",
      account,
    ],
  },
  {
    cel: `((has(params.spec.claimMatch) && has(params.spec.claimMatch.subject)) || has(params.spec.staticKeys)) && ${wantedSubject.cel} != ${subject.cel}`,
    holds: (candidate) =>
      (candidate.identity.spec.claimMatch?.subject !== undefined || candidate.identity.spec.staticKeys !== undefined) &&
      wantedSubject.of(candidate) !== subject.of(candidate),
    message: [
      " is for the subject ",
      wantedSubject,
      ", and the pod is ",
      subject,
      ". Set spec.serviceAccountName of the pod, or use an Identity with spec.serviceAccountRef for ",
      account,
    ],
  },
];

const annotated: Text<InjectablePod> = {
  cel: `object.metadata.?annotations[?"${agentAnnotation}"].orValue("")`,
  of: ({ pod }) => pod.metadata?.annotations?.[agentAnnotation] ?? "",
};

/** Whether the pod gets the agent. */
export const wantsAgent = {
  cel: `${annotated.cel} != "none"`,
  of: (pod: Pod): boolean => pod.metadata?.annotations?.[agentAnnotation] !== "none",
};

/** Whether the pod comes from the manifest of a pod that was injected before, perhaps with other values. */
export const isInjected = {
  cel: `object.spec.?volumes.orValue([]).exists(v, v.name == "${sourceVolume}" && ${isSource("v")})`,
  of: ({ spec }: Pod): boolean =>
    spec.volumes.some(
      ({ name, projected }) =>
        name === sourceVolume &&
        projected !== undefined &&
        projected !== null &&
        projected.sources.every(({ serviceAccountToken }) => serviceAccountToken !== undefined),
    ),
};

function isSource(volume: string): string {
  return `has(${volume}.projected) && ${volume}.projected.?sources.orValue([]).all(s, has(s.serviceAccountToken))`;
}

/** The values of the variables that the containers get, by name. */
function variablesOf({ pod, values }: InjectablePod): ReadonlyMap<string, unknown> {
  const { environment } = wantsAgent.of(pod) ? withAgent : withoutAgent;
  const variables = fill(environment, values) as readonly { readonly name: string; readonly value: string }[];
  return new Map<string, unknown>(variables.map(({ name, value }) => [name, value]));
}

const takenVariables: Text<InjectablePod> = {
  cel: 'variables.takenVariables.join(", ")',
  of: (input) => takenVariablesOf(input).join(", "),
};
/** Of the pod's variables that have our names: those with another value, which only an earlier injection can have set. */
export const takenVariablesCel = `object.spec.containers.map(c, c.?env.orValue([]).filter(e, variables.environment.exists(ours, ours.name == e.name && (has(e.valueFrom) || (!variables.injected && e.?value.orValue("") != ours.value)))).map(e, e.name + " of " + c.name)).flatten()`;
function takenVariablesOf(input: InjectablePod): string[] {
  const ours = variablesOf(input);
  const injected = isInjected.of(input.pod);
  return input.pod.spec.containers.flatMap((container) =>
    container.env
      .filter(({ name }) => ours.has(name))
      .filter(
        ({ name, value, valueFrom }) =>
          (valueFrom ?? undefined) !== undefined || (!injected && (value ?? "") !== ours.get(name)),
      )
      .map(({ name }) => `${name} of ${container.name}`),
  );
}

const takenMounts: Text<InjectablePod> = {
  cel: 'variables.takenMounts.join(", ")',
  of: (input) => takenMountsOf(input).join(", "),
};
/** A path is one of ours, however it is written, or below it. */
const separator = "/+(\\./+)*";
const end = `(${separator}.*)?$`;
export const takenMountsCel = `object.spec.containers.map(c, c.?volumeMounts.orValue([]).filter(m, variables.mounts.exists(ours, ours.name != m.name && ("/" + m.mountPath).matches("^" + ours.mountPath.replace("/", ${celLiteral(separator)}) + ${celLiteral(end)}))).map(m, m.mountPath + " of " + c.name)).flatten()`;
const isAtOrBelow = (path: string, ours: string): boolean =>
  new RegExp(`^${ours.replaceAll("/", separator)}${end}`).test(`/${path}`);
function takenMountsOf({ pod, values }: InjectablePod): string[] {
  const { mounts } = wantsAgent.of(pod) ? withAgent : withoutAgent;
  const ours = fill(mounts, values) as readonly Mount[];
  return pod.spec.containers.flatMap((container) =>
    container.volumeMounts
      .filter((theirs) =>
        ours.some(({ mountPath, name }) => name !== theirs.name && isAtOrBelow(theirs.mountPath, mountPath)),
      )
      .map(({ mountPath }) => `${mountPath} of ${container.name}`),
  );
}

const cannot = " cannot be injected: ";

/** Reasons that concern the pod alone, in the order in which they are checked. */
export const podRefusals: readonly Refusal<InjectablePod>[] = [
  {
    cel: `!(${annotated.cel} in ["", "none"])`,
    holds: (input) => !["", "none"].includes(annotated.of(input)),
    message: [
      cannot,
      `metadata.annotations[${agentAnnotation}] of the pod is `,
      annotated,
      ". Set it to none, which leaves the agent out, or remove it",
    ],
  },
  {
    cel: `variables.agent && object.spec.?os.?name.orValue("") == "windows"`,
    holds: ({ pod }) => wantsAgent.of(pod) && pod.spec.os?.name === "windows",
    message: [
      cannot,
      `the pod runs on Windows (spec.os.name), and the agent on Linux only. Set metadata.annotations[${agentAnnotation}] of the pod to none`,
    ],
  },
  {
    cel: `object.spec.?volumes.orValue([]).exists(v, v.name == "${sourceVolume}") && !variables.injected`,
    holds: ({ pod }) => pod.spec.volumes.some(({ name }) => name === sourceVolume) && !isInjected.of(pod),
    message: [
      cannot,
      `the name of the volume ${sourceVolume} in spec.volumes of the pod is reserved for the injected token. Rename the volume`,
    ],
  },
  {
    cel: `variables.agent && object.spec.?volumes.orValue([]).exists(v, v.name == "${tokenVolume}" && !has(v.emptyDir))`,
    holds: ({ pod }) =>
      wantsAgent.of(pod) &&
      pod.spec.volumes.some(({ name, emptyDir }) => name === tokenVolume && (emptyDir ?? undefined) === undefined),
    message: [
      cannot,
      `the name of the volume ${tokenVolume} in spec.volumes of the pod is reserved for the injected token. Rename the volume`,
    ],
  },
  {
    cel: `variables.platformCa.configMap != "" && object.spec.?volumes.orValue([]).exists(v, v.name == "${authoritiesVolume}" && !has(v.configMap))`,
    holds: ({ pod, values }) =>
      values.caConfigMap !== "" &&
      pod.spec.volumes.some(
        ({ name, configMap }) => name === authoritiesVolume && (configMap ?? undefined) === undefined,
      ),
    message: [
      cannot,
      `the name of the volume ${authoritiesVolume} in spec.volumes of the pod is reserved for injected certificate authorities. Rename the volume`,
    ],
  },
  {
    cel: `variables.agent && (object.spec.containers.exists(c, c.name == "${agentContainer}") || object.spec.?initContainers.orValue([]).exists(c, c.name == "${agentContainer}" && (c.?restartPolicy.orValue("") != "Always" || c.?args.orValue([]) != ${celLiteral(["agent"])})))`,
    holds: ({ pod: { spec }, pod }) =>
      wantsAgent.of(pod) &&
      (spec.containers.some(({ name }) => name === agentContainer) ||
        spec.initContainers.some(
          ({ name, restartPolicy, args }) =>
            name === agentContainer && (restartPolicy !== "Always" || args?.length !== 1 || args[0] !== "agent"),
        )),
    message: [
      cannot,
      `the container name ${agentContainer} is reserved for the agent. Rename the container of the pod`,
    ],
  },
  {
    cel: "size(variables.takenVariables) > 0",
    holds: (input) => takenVariablesOf(input).length > 0,
    message: [
      cannot,
      "the injection sets variables that the pod sets to other values in spec.containers[].env: ",
      takenVariables,
      ". Remove them",
    ],
  },
  {
    cel: "size(variables.takenMounts) > 0",
    holds: (input) => takenMountsOf(input).length > 0,
    message: [
      cannot,
      "another volume is mounted at or below the injected one: ",
      takenMounts,
      " in spec.containers[].volumeMounts of the pod. Mount it elsewhere",
    ],
  },
];

/** The first reason that holds, after the name of the Identity; undefined if there is none. */
export function refusalOf<Input>(refusals: readonly Refusal<Input>[], input: Input): string | undefined {
  const refusal = refusals.find(({ holds }) => holds(input));
  return refusal?.message.map((part) => (typeof part === "string" ? part : part.of(input))).join("");
}

/** The same as a CEL expression, which is the empty string if no reason holds. */
export function refusalCel(refusals: readonly Refusal<never>[]): string {
  const otherwise = '""';
  return refusals.reduceRight((rest, { cel, message }) => `${cel}\n? ${joined(message)}\n: ${rest}`, otherwise);
}

/** Concatenates texts; literals that follow each other become one. */
function joined(message: Refusal<never>["message"]): string {
  const literals: string[] = [""];
  const parts: string[] = [];
  const flush = () => {
    const literal = literals.splice(0).join("");
    if (literal !== "") parts.push(celLiteral(literal));
  };
  for (const part of message) {
    if (typeof part === "string") literals.push(part);
    else {
      flush();
      parts.push(part.cel);
    }
  }
  flush();
  return parts.join(" + ");
}

/** The text of the condition Ready, for `variables.ready`. */
export const readyCel = `(params.?status.?conditions.orValue([]).filter(c, c.type == "Ready").map(c, string(c.reason) + ": " + string(c.message)) + ["the operator has not reported on it yet"])[0]`;
export const readyLimit = maxReadyMessage;
