import type { AbuseKind } from "./abuse-kind.ts";
import * as bodies from "./kinds/bodies.ts";
import * as changes from "./kinds/changes.ts";
import * as connections from "./kinds/connections.ts";
import * as documents from "./kinds/documents.ts";
import * as exchanges from "./kinds/exchanges.ts";
import * as grpc from "./kinds/grpc.ts";
import * as halfSent from "./kinds/half-sent.ts";
import * as http2 from "./kinds/http2.ts";
import * as issuers from "./kinds/issuers.ts";
import * as lists from "./kinds/lists.ts";
import * as patterns from "./kinds/patterns.ts";
import * as people from "./kinds/people.ts";

/** All kinds, in the order in which they run. */
export const abuseKinds: readonly AbuseKind[] = [
  patterns,
  halfSent,
  grpc,
  lists,
  exchanges,
  people,
  issuers,
  changes,
  bodies,
  connections,
  http2,
  documents,
].flatMap((family) => Object.values<AbuseKind>(family));
