import { ancestorsOf } from "#src/platform/contract/uid.ts";
import type { AccessModel } from "./access-model.ts";

/** The names of a group and of those above it, such as `acme/shop`. A group that cannot be read is shown as `…`. */
export function groupPath(model: Pick<AccessModel, "groups">, uid: string): string {
  const names = [...ancestorsOf(uid), uid].map((group) => model.groups.get(group)?.name ?? "…");
  return names.every((name) => name === "…") ? uid : names.join("/");
}
