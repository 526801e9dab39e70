import { root, team } from "./row.ts";

const time = "2026-11-21T06:00:00Z";
const ready = {
  type: "Ready",
  status: "True",
  observedGeneration: 1,
  lastTransitionTime: time,
  reason: "Available",
  message: "The group is there.",
};

export const right: readonly { what: string; status: object }[] = [
  { what: "the least", status: { observedGeneration: 1 } },
  {
    what: "a good end",
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
    what: "the platform's error and drift",
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
];

export const wrong: readonly { what: string; status: object; refused: string }[] = [
  {
    what: "a reason of nobody",
    status: { conditions: [{ ...ready, reason: "Broken" }] },
    refused:
      'status.conditions[0].reason: Unsupported value: "Broken": supported values: "Available", "Creating", "Updating", "Deleting", "Paused", "InvalidSpec", "ReferenceNotFound", "ReferenceNotReady", "ReferenceNotGranted", "ParentChanged", "NoTenant", "TenantDenied", "TokenUnavailable", "TokenExchangeFailed", "PermissionDenied", "Conflict", "ChildrenExist", "PreconditionFailed", "RateLimited", "PlatformUnavailable", "ExternalGone", "DriftDetected"',
  },
  {
    what: "the same condition twice",
    status: { conditions: [ready, ready] },
    refused: 'status.conditions[1]: Duplicate value: {"type":"Ready"}',
  },
  {
    what: "a condition without reason",
    status: { conditions: [{ ...ready, reason: undefined }] },
    refused: "status.conditions[0].reason: Required value",
  },
  {
    what: "a message without end",
    status: { conditions: [{ ...ready, message: "m".repeat(32_769) }] },
    refused: "status.conditions[0].message: Too long: may not be more than 32768 bytes",
  },
];
