import { apiGroup, apiVersion } from "#src/api/custom-resource.ts";
import { agentUser } from "./agent-user.ts";
import { type Injection, type InjectionSettings, type NamedItem, withAgent, withoutAgent } from "./description.ts";
import { identityLabel, refusalAnnotation, sourceVolume } from "./names.ts";
import {
  doesNotExist,
  emptyLabel,
  identityRefusals,
  isInjected,
  messageStart,
  misplacedLabel,
  podRefusals,
  readyCel,
  readyLimit,
  refusalCel,
  takenMountsCel,
  takenVariablesCel,
  wantsAgent,
} from "./refusals.ts";
import { templateKinds } from "./template-kinds.ts";
import { celLiteral, concatenation, indent, listToCel, toCel } from "./template.ts";

const injecting = "muster-identity";
const requiring = "muster-identity-required";
const warning = "muster-identity-warnings";

const misplaced = "muster-identity-misplaced";

/** A label has at most this many characters, and the name of an object 253. */
const maxLabel = 63;

/** A manifest of the Kubernetes API. */
export type Manifest = Readonly<Record<string, unknown>>;

/** The expressions that stand for the values of an injection. */
const expressions = {
  uid: "string(params.status.uid)",
  exchangeUrl: "string(params.status.exchange.url)",
  platformUrl: "string(params.status.exchange.platformUrl)",
  audience: "string(params.status.exchange.audience)",
  apiAudience: "string(params.status.exchange.apiAudience)",
  image: "variables.image",
  requests: "variables.requests",
  limits: "variables.limits",
  env: "variables.env.map(e, Object.spec.initContainers.env{name: e.name, value: e.value})",
  caConfigMap: "variables.platformCa.configMap",
  caKey: "variables.platformCa.key",
  agentUser: "variables.agentUser",
};

const labelSelector = { matchExpressions: [{ key: identityLabel, operator: "Exists" }] };

/** Labelled pods, before parameters are resolved: otherwise a missing CRD would refuse every pod. */
const labelledPods = (...operations: readonly ("CREATE" | "UPDATE")[]) => ({
  objectSelector: labelSelector,
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations, resources: ["pods"] }],
});

/** The kubelet creates a mirror pod for a static pod, which runs already and cannot have a service account. */
const isNotMirror = {
  name: "is-not-the-mirror-of-a-static-pod",
  expression: `!("kubernetes.io/config.mirror" in object.metadata.?annotations.orValue({}))`,
};

/**
 * The admission policies, as manifests in the order in which they are applied. The variables `image`, `requests`, `limits`,
 * `env` and `platformCa` of the first one are the settings, each a CEL literal.
 */
export function policies(settings: InjectionSettings): readonly Manifest[] {
  return [
    injectingPolicy(settings),
    binding("MutatingAdmissionPolicyBinding", injecting, {
      // No namespace: the Identities in the namespace of the pod.
      paramRef: { selector: {}, parameterNotFoundAction: "Allow" },
    }),
    requiringPolicy(),
    binding("ValidatingAdmissionPolicyBinding", requiring, { validationActions: ["Deny"] }),
    warningPolicy(),
    binding("ValidatingAdmissionPolicyBinding", warning, { validationActions: ["Warn"] }),
    misplacedPolicy(),
    binding("ValidatingAdmissionPolicyBinding", misplaced, { validationActions: ["Warn"] }),
  ];
}

function injectingPolicy({ image, requests, limits, env, caConfigMap, caKey }: InjectionSettings): Manifest {
  return policy("MutatingAdmissionPolicy", injecting, {
    failurePolicy: "Fail",
    reinvocationPolicy: "Never",
    paramKind: { apiVersion, kind: "Identity" },
    matchConstraints: labelledPods("CREATE"),
    matchConditions: [
      {
        name: "is-the-identity-of-the-pod",
        expression: `params.metadata.name == object.metadata.labels["${identityLabel}"]`,
      },
      isNotMirror,
    ],
    variables: [
      { name: "image", expression: celLiteral(image) },
      { name: "requests", expression: celLiteral(requests) },
      { name: "limits", expression: celLiteral(limits) },
      { name: "env", expression: celLiteral(env) },
      { name: "platformCa", expression: celLiteral({ configMap: caConfigMap, key: caKey }) },
      { name: "agent", expression: wantsAgent.cel },
      { name: "agentUser", expression: agentUser.cel },
      { name: "injected", expression: isInjected.cel },
      { name: "account", expression: "object.spec.serviceAccountName" },
      { name: "readyText", expression: readyCel },
      {
        name: "ready",
        expression: `size(variables.readyText) > ${readyLimit} ? variables.readyText.substring(0, ${readyLimit}) : variables.readyText`,
      },
      { name: "environment", expression: ofMode(({ environment }) => toCel(environment, undefined, expressions)) },
      { name: "mounts", expression: ofMode(({ mounts }) => toCel(mounts, undefined, expressions)) },
      { name: "takenVariables", expression: takenVariablesCel },
      { name: "takenMounts", expression: takenMountsCel },
      { name: "cause", expression: refusalCel([...identityRefusals, ...podRefusals]) },
      { name: "volumes", expression: namesOf("volumes") },
      { name: "initContainers", expression: namesOf("initContainers") },
    ],
    mutations: [
      {
        patchType: "JSONPatch",
        jsonPatch: {
          expression: `variables.cause != "" ? [] :\n${emptyLists()} +\n${ofMode((injection) => puts(injection))}`,
        },
      },
      {
        patchType: "ApplyConfiguration",
        applyConfiguration: {
          expression: `variables.cause != ""
? Object{metadata: Object.metadata{annotations: {"${refusalAnnotation}": ${messageStart.cel} + variables.cause}}}
: Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{
  name: c.name,
  env: variables.environment.map(v, Object.spec.containers.env{name: v.name, value: v.value}),
  volumeMounts: variables.mounts.map(m, Object.spec.containers.volumeMounts{name: m.name, mountPath: m.mountPath, readOnly: true})
})}}`,
        },
      },
    ],
  });
}

function ofMode(part: (injection: Injection) => string): string {
  return `(variables.agent ? ${part(withAgent)} : ${part(withoutAgent)})`;
}

function namesOf(list: string): string {
  return `object.spec.?${list}.orValue([]).map(item, item.name)`;
}

/** A patch cannot add to a list that does not exist. */
function emptyLists(): string {
  return ["volumes", "initContainers"]
    .map((list) => `(has(object.spec.${list}) ? [] : [JSONPatch{op: "add", path: "/spec/${list}", value: []}])`)
    .join(" +\n");
}

/** Adds each item to its list, or replaces the item of the same name. */
function puts({ volumes, initContainers }: Injection): string {
  const put = (list: string, place: string) => (item: NamedItem) => {
    const index = `variables.${list}.indexOf("${item.name}")`;
    return `JSONPatch{
  op: ${index} < 0 ? "add" : "replace",
  path: "/spec/${list}/" + (${index} < 0 ? "${place}" : string(${index})),
  value: ${indent(toCel(item, `Object.spec.${list}`, expressions)).trimStart()}
}`;
  };
  return concatenation([
    listToCel(volumes, put("volumes", "-"), expressions),
    listToCel(initContainers, put("initContainers", "0"), expressions),
  ]);
}

/** Refuses a labelled pod that was not injected. */
function requiringPolicy(): Manifest {
  const label = `.metadata.?labels[?"${identityLabel}"]`;
  const isUpdate = 'request.operation == "UPDATE"';
  return policy("ValidatingAdmissionPolicy", requiring, {
    failurePolicy: "Fail",
    matchConstraints: labelledPods("CREATE", "UPDATE"),
    matchConditions: [isNotMirror],
    variables: [{ name: "refusal", expression: `object.metadata.?annotations[?"${refusalAnnotation}"].orValue("")` }],
    validations: [
      {
        expression: `!(${isUpdate}) || !object${label}.hasValue() || object${label} == oldObject${label}`,
        reason: "Forbidden",
        message: `metadata.labels[${identityLabel}]: the label has an effect only when a pod is created. Set it in the pod template, or create the pod again`,
      },
      {
        expression: `${isUpdate} || object.metadata.labels["${identityLabel}"] != ""`,
        reason: "Forbidden",
        message: emptyLabel,
      },
      {
        expression: `${isUpdate} || variables.refusal == ""`,
        reason: "Forbidden",
        messageExpression: "variables.refusal",
      },
      {
        expression: `${isUpdate} || object.spec.?volumes.orValue([]).exists(v, v.name == "${sourceVolume}")`,
        reason: "Forbidden",
        messageExpression: `${messageStart.cel} + ${doesNotExist.cel}`,
      },
    ],
  });
}

/** Warns of an Identity that no pod can name. */
function warningPolicy(): Manifest {
  return policy("ValidatingAdmissionPolicy", warning, {
    failurePolicy: "Ignore",
    matchConstraints: {
      resourceRules: [{ apiGroups: [apiGroup], apiVersions: ["*"], operations: ["CREATE"], resources: ["identities"] }],
    },
    validations: [
      {
        expression: `size(object.metadata.name) <= ${maxLabel}`,
        message: `metadata.name: no pod can name this Identity, because a label has at most ${maxLabel} characters. For pods, create it with a shorter name; spec.name is the name on the platform`,
      },
    ],
  });
}

/** Warns of a label on an object whose pods do not have it. */
function misplacedPolicy(): Manifest {
  const byPath = Map.groupBy(templateKinds, ({ path }) => path.join("."));
  return policy("ValidatingAdmissionPolicy", misplaced, {
    failurePolicy: "Ignore",
    matchConstraints: {
      objectSelector: labelSelector,
      resourceRules: [
        {
          apiGroups: [...new Set(templateKinds.map(({ group }) => group))],
          apiVersions: ["v1"],
          operations: ["CREATE", "UPDATE"],
          resources: templateKinds.map(({ plural }) => plural),
        },
      ],
    },
    // An update that removes the label matches the selector, too.
    matchConditions: [
      { name: "has-the-label", expression: `"${identityLabel}" in object.metadata.?labels.orValue({})` },
    ],
    validations: [...byPath.values()].map((kinds) => {
      const path = kinds[0]?.path ?? [];
      const names = celLiteral(kinds.map(({ kind }) => kind));
      // Dynamic, because the other kinds do not have the path.
      const label = `dyn(object).?${path.join(".?")}.?metadata.?labels[?"${identityLabel}"]`;
      return { expression: `!(object.kind in ${names}) || ${label}.hasValue()`, message: misplacedLabel(path) };
    }),
  });
}

function policy(kind: string, name: string, spec: Manifest): Manifest {
  return { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name }, spec };
}

function binding(kind: string, name: string, spec: Manifest): Manifest {
  return policy(kind, name, { policyName: name, ...spec });
}
