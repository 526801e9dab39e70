import type { Kind } from "#src/kinds/kind.ts";
import * as messages from "./messages.ts";
import * as singletonMessages from "./singleton-messages.ts";

/** What people read about a conflict over a name, or over the only place that a group has for a resource of the kind. */
export function conflictMessages({ collection }: Kind) {
  return collection.uids.isSingleton ? singletonMessages : messages;
}
