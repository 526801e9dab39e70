import { describe } from "vitest";
import { isReady, judge, long, present, stalls, tells, unmarked } from "./decision-cases.testing.ts";
import { withMarker } from "#src/kinds/marker.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import {
  groupResource,
  groupRow,
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
  const drifted = groupRow({ description: withMarker("by hand", marker) });
  const report = groupResource({ spec: { policy: { drift: "Report" } }, status: ready });
  judge([
    {
      name: "is corrected, and the marker is kept",
      given: { resource: isReady, references, external: present(drifted) },
      expected: {
        do: "update",
        body: { description: withMarker("the shop's", marker) },
        mask: ["description"],
        correction: true,
        event: { reason: "DriftCorrected" },
      },
    },
    {
      name: "or reported, field by field, without the marker",
      given: { resource: report, references, external: present(drifted), state: long },
      expected: {
        ...tells("DriftDetected", "left so", {
          drift: [{ field: "description", expected: "the shop's", actual: "by hand" }],
        }),
        event: { type: "Warning", reason: "DriftDetected" },
      },
    },
    {
      name: "three corrections in an hour: somebody fights, so it waits and warns",
      given: {
        resource: isReady,
        references,
        external: present(drifted),
        state: { ...long, corrections: [1_000, 2_000, 3_000] },
      },
      expected: tells("DriftDetected", "who else manages it"),
    },
    {
      name: "and goes on when the hour is over",
      given: {
        resource: groupResource({ status: { ...notReady("DriftDetected", { uid }) } }),
        references,
        external: present(drifted),
        state: { ...long, corrections: [1_000, 2_000, 3_000] },
        now: 3_601_001,
      },
      expected: { do: "update", correction: true },
    },
    {
      name: "a marker that another hand took from what we made is put back",
      given: { resource: isReady, external: present(unmarked("by hand")) },
      expected: { do: "update", body: { description: withMarker("by hand", marker) }, correction: true },
    },
    {
      name: "a marker is never put on what was adopted",
      given: {
        resource: groupResource({ spec: { policy: { adoption: "IfExists" } }, status: ready }),
        external: present(unmarked("by hand")),
      },
      expected: { do: "done" },
    },
    {
      name: "the parent has another uid now and the thing still stands: ParentChanged",
      given: {
        resource: isReady,
        references: { ...resolved(), uids: { parent: `${root}/9999999999999999` } } as Observed["references"],
        external: present(groupRow()),
      },
      expected: stalls("ParentChanged", "Delete that one"),
    },
    {
      name: "the parent has another uid and nobody knows of the old one: it is looked for where it was",
      given: {
        resource: isReady,
        references: { ...resolved(), uids: { parent: `${root}/9999999999999999` } } as Observed["references"],
        external: { is: "unknown" },
      },
      expected: { do: "list", parent },
    },
    {
      name: "the parent has another uid and the old one lies where the operator may not look: ParentChanged",
      given: {
        resource: isReady,
        references: { ...resolved(), uids: { parent: `${root}/9999999999999999` } } as Observed["references"],
        external: { is: "unknown" },
        isWithinRoots: () => false,
      },
      expected: stalls("ParentChanged"),
    },
    {
      name: "the child is made anew only when the old one is proven gone",
      given: {
        resource: isReady,
        references: { ...resolved(), uids: { parent: `${root}/9999999999999999` } } as Observed["references"],
        external: { is: "gone" },
      },
      expected: { do: "create", parent: `${root}/9999999999999999` },
    },
  ]);
});
