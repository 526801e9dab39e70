import { check } from "./check.ts";
import * as issueMessages from "./issue-messages.ts";
import { heldUid, isUnrecorded, type IssueInput } from "./issued.ts";
import { locationOf, versionOf } from "./issued-secret.ts";
import { attempt } from "./retry.ts";

/**
 * A resource whose code only this process has. The code is written into the Secret
 * if that is still empty; else nobody can ever have it, and the resource is deleted. It waits for nothing else that concerns
 * the object, such as its references: a process that ends meanwhile leaves a resource that nobody can recognize.
 */
export const codeNotHandedOver = check<IssueInput>(
  "codeNotHandedOver",
  "Only this process has the code.",
  (observed) => {
    const { state, secret, kind } = observed;
    const { issued } = state;
    if (issued === undefined || !isUnrecorded(observed) || heldUid(observed) === issued.uid) return undefined;
    const { uid, failed, drift } = issued;
    const at = locationOf(observed);
    if (failed !== true && secret?.is === "found" && secret.isEmpty)
      return { do: "writeSecret", at, version: versionOf(secret), uid };
    const note =
      drift === undefined
        ? issueMessages.codeNotWritten(kind.noun, uid, at)
        : issueMessages.issuedOtherwise(kind.noun, uid, drift);
    return attempt(observed, { do: "delete", uid, event: { type: "Warning", reason: "Deleted", note } });
  },
);
