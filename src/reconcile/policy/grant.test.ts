import { describe } from "vitest";
import { itDecides, present, reports, reportsStalled, waitingLong } from "./decision-cases.testing.ts";
import { deletedBinding, deletionSeen } from "./ending-cases.testing.ts";
import { anotherUid, bindingResource, parent, ready, resolved, root, tenant, uid } from "./observed-fixture.testing.ts";

const viewer = "c".repeat(40);
const editor = "e".repeat(40);
const earlierIdentity = `${root}/8888888888888888`;
const granting = (identity: string, role: string) => ({
  uid,
  identity: { uid: identity, name: "" },
  role: { uid: role, name: "" },
});
const references = resolved({ identityUid: anotherUid, roleUid: viewer });
const recorded = { ...ready, identityUid: anotherUid, roleUid: viewer };

describe("D1: a role binding", () => {
  itDecides([
    {
      name: "is never rewritten because spec.uid names it",
      given: {
        resource: bindingResource({ spec: { uid } }),
        references,
        external: present(granting(anotherUid, editor)),
      },
      expected: reportsStalled("InvalidSpec", "spec.uid"),
    },
    {
      name: "is never deleted because spec.uid names it",
      given: {
        resource: deletedBinding({ spec: { uid } }),
        references,
        external: present(granting(anotherUid, editor)),
        state: deletionSeen,
      },
      expected: { do: "removeFinalizer" },
    },
    {
      name: "is not deleted if it is no longer what the status records",
      given: {
        resource: deletedBinding({ status: recorded }),
        references,
        external: present(granting(anotherUid, editor)),
        state: deletionSeen,
      },
      expected: { do: "removeFinalizer" },
    },
    {
      name: "is read again if somebody requests it",
      given: {
        resource: bindingResource({ status: recorded }),
        references,
        external: present(granting(anotherUid, viewer), 100),
        request: { value: "now", seenAt: 200 },
      },
      expected: { do: "read", uid },
    },
    {
      name: "that was changed outside of Kubernetes is another grant: the declared one is created",
      given: {
        resource: bindingResource({ status: recorded }),
        references,
        external: present(granting(anotherUid, editor)),
      },
      expected: { do: "create", parent },
    },
    {
      name: "that was changed outside of Kubernetes is only reported if drift is Report",
      given: {
        resource: bindingResource({ status: recorded, spec: { policy: { drift: "Report" } } }),
        references,
        external: present(granting(anotherUid, editor)),
        state: waitingLong,
      },
      expected: reports("DriftDetected", "grants something else"),
    },
    {
      name: "that was only observed before is adopted",
      given: {
        resource: bindingResource({ status: { ...recorded, management: "Observed" } }),
        references,
        external: present(granting(anotherUid, viewer)),
      },
      expected: { do: "writeStatus", patch: { management: "Adopted" }, events: [{ reason: "Adopted" }] },
    },
    {
      name: "to an earlier uid of a reference is deleted first",
      given: {
        resource: bindingResource({ status: { ...recorded, identityUid: earlierIdentity } }),
        references,
        external: present(granting(earlierIdentity, viewer)),
      },
      expected: { do: "delete", uid },
    },
    {
      name: "of a credential to an earlier uid of a reference is not deleted: the status may be forged",
      given: {
        resource: bindingResource({ status: { ...recorded, identityUid: earlierIdentity } }),
        references,
        external: present(granting(earlierIdentity, viewer)),
        protections: [{ uid, because: "credential" }],
        state: waitingLong,
      },
      expected: reportsStalled("Conflict", "credential"),
    },
    {
      name: "to an earlier uid of a reference is not deleted outside of the Tenant's groups",
      given: {
        resource: bindingResource({ status: { ...recorded, identityUid: earlierIdentity } }),
        references,
        external: present(granting(earlierIdentity, viewer)),
        tenant: { ...tenant, groups: ["f".repeat(40)] },
        state: waitingLong,
      },
      expected: reportsStalled("TenantDenied", "outside"),
    },
    {
      name: "to an earlier uid of a reference is replaced then, even if drift is Report",
      given: {
        resource: bindingResource({
          status: { ...recorded, identityUid: earlierIdentity },
          spec: { policy: { drift: "Report" } },
        }),
        references,
        external: { is: "gone", at: 40 },
      },
      expected: { do: "create" },
    },
  ]);
});
