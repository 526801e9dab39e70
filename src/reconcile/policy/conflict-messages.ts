import type { Kind } from "#src/kinds/kind.ts";
import { observedNotFound } from "./absence-messages.ts";
import { nameManagedBy, nameNotAdopted, nameOfOther, nameWantedBy } from "./name-messages.ts";
import { alreadyExists } from "./platform-messages.ts";
import { type ConflictMessages, singletonMessages } from "./singleton-messages.ts";

const nameMessages: ConflictMessages = {
  nameWantedBy,
  nameManagedBy,
  nameOfOther,
  nameNotAdopted,
  observedNotFound,
  alreadyExists,
};

/** What people read about a conflict over a name, or over the only place that a group has for a resource of the kind. */
export function conflictMessages({ collection }: Kind): ConflictMessages {
  return collection.uids.isSingleton ? singletonMessages : nameMessages;
}
