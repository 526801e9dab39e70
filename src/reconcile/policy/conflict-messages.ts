import type { Kind } from "#src/kinds/kind.ts";
import * as messages from "./messages.ts";
import { type ConflictMessages, singletonMessages } from "./singleton-messages.ts";

const nameMessages: ConflictMessages = {
  nameWantedBy: messages.nameWantedBy,
  nameManagedBy: messages.nameManagedBy,
  nameOfOther: messages.nameOfOther,
  nameNotAdopted: messages.nameNotAdopted,
  observedNotFound: messages.observedNotFound,
  alreadyExists: messages.alreadyExists,
};

/** What people read about a conflict over a name, or over the only place that a group has for a resource of the kind. */
export function conflictMessages({ collection }: Kind): ConflictMessages {
  return collection.uids.isSingleton ? singletonMessages : nameMessages;
}
