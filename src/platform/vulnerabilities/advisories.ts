import { Capability } from "../authorization/capability.ts";
import { advisories } from "../collections/advisories.ts";
import {
  AdvisoriesService,
  ListAdvisoriesRequestSchema,
  ListAdvisoriesResponseSchema,
} from "../gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { listStored } from "../handlers/list-page.ts";
import { permittedResource } from "../handlers/permitted.ts";
import { implement, type Service } from "../service/service.ts";
import type { Transactions } from "../service/transaction.ts";
import { indexedConditions, scannedConditions } from "./advisory-filters.ts";

/** Read-only: advisories are created by `muster platform load`. */
export function advisoriesService(transactions: Transactions): Service {
  return implement(AdvisoriesService, {
    listAdvisories: (request, call) =>
      transactions.read(call, (transaction) =>
        listStored(transaction, advisories, ListAdvisoriesResponseSchema, {
          schema: ListAdvisoriesRequestSchema,
          request,
          conditions: indexedConditions(request),
          scanned: scannedConditions(request),
        }),
      ),

    getAdvisory: ({ uid }, call) =>
      transactions.read(call, (transaction) =>
        permittedResource(transaction, advisories, Capability.CAP_ADVISORIES_LIST, uid),
      ),
  });
}
