import { root, team } from "./case.ts";

const time = "2026-11-21T06:00:00Z";
const ready = {
  type: "Ready",
  status: "True",
  observedGeneration: 1,
  lastTransitionTime: time,
  reason: "Available",
  message: "The group exists.",
};

export const valid: readonly { what: string; status: object }[] = [
  { what: "the minimum", status: { observedGeneration: 1 } },
  {
    what: "a Ready resource",
    status: {
      observedGeneration: 1,
      uid: team,
      parentUid: root,
      lastSyncTime: time,
      lastHandledReconcileAt: "now",
      conditions: [ready, { ...ready, type: "ReferencesResolved" }],
    },
  },
  {
    what: "an error of the platform and drift",
    status: {
      observedGeneration: 1,
      drift: [{ field: "description", expected: "a", actual: "" }],
      error: {
        code: "INVALID_ARGUMENT",
        reason: "INVALID_ARGUMENT",
        domain: "iam.example.dev",
        message: "Invalid argument: name: taken",
        fieldViolations: [{ field: "name", description: "taken" }],
        preconditionViolations: [
          { type: "RESOURCE_NOT_EMPTY", description: "cannot delete group with child repos", subject: root },
        ],
        time: "2026-11-21T06:00:00.123Z",
      },
      conditions: [
        { ...ready, status: "False", reason: "InvalidSpec" },
        { ...ready, type: "Stalled", reason: "InvalidSpec" },
      ],
    },
  },
  {
    what: "a reason and conditions of a newer operator",
    status: {
      observedGeneration: 1,
      conditions: [
        { ...ready, status: "False", reason: "HeldByBreaker" },
        { ...ready, type: "Reconciling", reason: "HeldByBreaker" },
        { ...ready, type: "Stalled", status: "False" },
        { ...ready, type: "ReferencesResolved" },
        { ...ready, type: "AccessDeclared" },
        { ...ready, type: "example.com/Audited" },
      ],
    },
  },
];

export const invalid: readonly { what: string; status: object; errors: string }[] = [
  {
    what: "a reason that is not in CamelCase",
    status: { conditions: [{ ...ready, reason: "not CamelCase" }] },
    errors:
      "status.conditions[0].reason: Invalid value: \"not CamelCase\": conditions[0].reason in body should match '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$'",
  },
  {
    what: "a condition status other than True, False and Unknown",
    status: { conditions: [{ ...ready, status: "Maybe" }] },
    errors: 'status.conditions[0].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"',
  },
  {
    what: "the same condition twice",
    status: { conditions: [ready, ready] },
    errors: 'status.conditions[1]: Duplicate value: {"type":"Ready"}',
  },
  {
    what: "a condition without a reason",
    status: { conditions: [{ ...ready, reason: undefined }] },
    errors: "status.conditions[0].reason: Required value",
  },
  {
    what: "a message that is too long",
    status: { conditions: [{ ...ready, message: "m".repeat(32_769) }] },
    errors: "status.conditions[0].message: Too long: may not be more than 32768 bytes",
  },
];
