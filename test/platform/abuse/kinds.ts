import type { AbuseKind } from "./abuse-kind.ts";
import { halfSentSmall } from "./kinds/half-sent.ts";
import { pages } from "./kinds/lists.ts";
import { unsignedTokens } from "./kinds/patterns.ts";

/** All kinds, in the order in which they run. */
export const abuseKinds: readonly AbuseKind[] = [unsignedTokens, halfSentSmall, pages];
