import { describe } from "vitest";
import {
  readyGroup,
  itDecides,
  waitingLong,
  present,
  reportsStalled,
  reports,
  unmarked,
} from "./decision-cases.testing.ts";
import { withMarker } from "#src/kinds/marker.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import {
  groupResource,
  externalGroup,
  marker,
  notReady,
  parent,
  ready,
  resolved,
  root,
  uid,
} from "./observed-fixture.testing.ts";

describe("drift", () => {
  const references = resolved({ name: "payments", description: "the shop's" });
  const drifted = externalGroup({ description: withMarker("by hand", marker) });
  const report = groupResource({ spec: { policy: { drift: "Report" } }, status: ready });
  itDecides([
    {
      name: "is corrected, and the marker is kept",
      given: { resource: readyGroup, references, external: present(drifted) },
      expected: {
        do: "update",
        body: { description: withMarker("the shop's", marker) },
        mask: ["description"],
        correction: true,
        event: { reason: "DriftCorrected" },
      },
    },
    {
      name: "is reported by field, without the marker, if drift is Report",
      given: { resource: report, references, external: present(drifted), state: waitingLong },
      expected: {
        ...reports("DriftDetected", "change is kept", {
          drift: [{ field: "description", expected: "the shop's", actual: "by hand" }],
        }),
        events: [{ type: "Warning", reason: "DriftDetected" }],
      },
    },
    {
      name: "is reported if it occurred while the object was paused",
      given: {
        resource: groupResource({
          spec: { policy: { drift: "Report" } },
          status: { ...notReady("Paused", { uid }), appliedGeneration: 1 },
        }),
        references,
        external: present(drifted),
        state: waitingLong,
      },
      expected: reports("DriftDetected", "change is kept"),
    },
    {
      name: "counts as a correction after an interruption, too",
      given: {
        resource: groupResource({ status: { ...notReady("PermissionDenied", { uid }), appliedGeneration: 1 } }),
        references,
        external: present(drifted),
      },
      expected: { do: "update", correction: true, event: { reason: "DriftCorrected" } },
    },
    {
      name: "is not what an edit during the pause makes differ",
      given: {
        resource: groupResource({
          metadata: { generation: 2 },
          spec: { policy: { drift: "Report" } },
          status: { ...notReady("Paused", { uid }), appliedGeneration: 1 },
        }),
        references,
        external: present(drifted),
      },
      expected: { do: "update", correction: false, event: { reason: "Updated" } },
    },
    {
      name: "is no longer corrected after three corrections in an hour, but reported",
      given: {
        resource: readyGroup,
        references,
        external: present(drifted),
        state: { ...waitingLong, corrections: [1_000, 2_000, 3_000] },
      },
      expected: reports("DriftDetected", "Find the other writer"),
    },
    {
      name: "is corrected again when the hour is over",
      given: {
        resource: groupResource({ status: { ...notReady("DriftDetected", { uid }), appliedGeneration: 1 } }),
        references,
        external: present(drifted, 3_601_000),
        state: { ...waitingLong, corrections: [1_000, 2_000, 3_000] },
        now: 3_601_001,
      },
      expected: { do: "update", correction: true },
    },
    {
      name: "restores a marker that was removed from a resource that we created",
      given: { resource: readyGroup, external: present(unmarked("by hand")) },
      expected: { do: "update", body: { description: withMarker("by hand", marker) }, correction: true },
    },
    {
      name: "restores a marker that was removed from a resource that we adopted",
      given: {
        resource: groupResource({ status: { ...ready, management: "Adopted" } }),
        external: present(unmarked("by hand")),
      },
      expected: { do: "update", body: { description: withMarker("by hand", marker, true) }, correction: true },
    },
    {
      name: "reports ParentChanged if the parent has another uid and the resource still exists",
      given: {
        resource: readyGroup,
        references: { ...resolved(), uids: { parent: `${root}/9999999999999999` } } as Observed["references"],
        external: present(externalGroup()),
      },
      expected: reportsStalled("ParentChanged", "Delete it on the platform"),
    },
    {
      name: "lists the previous parent if the parent has another uid and the resource is unknown",
      given: {
        resource: readyGroup,
        references: { ...resolved(), uids: { parent: `${root}/9999999999999999` } } as Observed["references"],
        external: { is: "unknown" },
      },
      expected: { do: "list", parent },
    },
    {
      name: "reports ParentChanged if the previous parent is outside the root groups",
      given: {
        resource: readyGroup,
        references: { ...resolved(), uids: { parent: `${root}/9999999999999999` } } as Observed["references"],
        external: { is: "unknown" },
        rootSnapshots: [],
      },
      expected: reportsStalled("ParentChanged"),
    },
    {
      name: "re-creates the child below the new parent once the previous one is proven to be gone",
      given: {
        resource: readyGroup,
        references: { ...resolved(), uids: { parent: `${root}/9999999999999999` } } as Observed["references"],
        external: { is: "gone", at: 40 },
      },
      expected: { do: "create", parent: `${root}/9999999999999999` },
    },
  ]);
});
