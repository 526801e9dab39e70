import { describe } from "vitest";
import { withMarker } from "#src/kinds/marker.ts";
import { present, unmarked } from "./decision-cases.testing.ts";
import { deletedGroup, existing, itDecidesDeletion, rejectedStep, released } from "./ending-cases.testing.ts";
import { externalGroup, marker, platformError, ready, uid } from "./observed-fixture.testing.ts";

describe("a resource that stays under Orphan", () => {
  const orphaned = { ...existing, resource: deletedGroup({ status: ready, spec: { policy: { deletion: "Orphan" } } }) };
  itDecidesDeletion([
    {
      name: "loses its marker",
      given: orphaned,
      expected: { do: "update", uid, body: { description: "" }, mask: ["description"], drift: [], correction: false },
    },
    {
      name: "keeps the text of its description when the marker is removed",
      given: {
        ...orphaned,
        external: present(externalGroup({ description: withMarker("the shop's", marker) })),
      },
      expected: { do: "update", body: { description: "the shop's" } },
    },
    {
      name: "is released once the marker is removed",
      given: { ...orphaned, external: present(unmarked()) },
      expected: { ...released, event: { reason: "Orphaned" } },
    },
    {
      name: "is released if the marker cannot be removed",
      given: { ...orphaned, state: rejectedStep("update", platformError("PERMISSION_DENIED"), orphaned) },
      expected: released,
    },
  ]);
});
