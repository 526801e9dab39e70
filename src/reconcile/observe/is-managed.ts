import { isRecorded } from "./claims.ts";
import type { Sources } from "./sources.ts";

/** Whether an object of one of the kinds manages the resource with this uid, as its status records it. */
export function isManaged({ kinds, stores }: Pick<Sources, "kinds" | "stores">, uid: string): boolean {
  return kinds.some(({ name }) =>
    stores
      .get(name)
      .index("claims", uid)
      .some(({ resource }) => isRecorded(resource, uid)),
  );
}
