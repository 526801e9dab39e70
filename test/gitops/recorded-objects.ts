import { fileURLToPath } from "node:url";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

/** An object as the API server returned it, in a state that a real operator brought it into. */
export interface RecordedObject {
  readonly state: string;
  readonly object: KubeObject;
}

/** The file that `npm run record:objects` writes. */
export const recordedObjects = fileURLToPath(new URL("recorded-objects.json", import.meta.url));
