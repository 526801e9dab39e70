import { create } from "@bufbuild/protobuf";
import { Capability } from "../authorization/capability.ts";
import { advisories } from "../collections/advisories.ts";
import {
  AdvisoriesService,
  ListAdvisoriesRequestSchema,
  ListAdvisoriesResponseSchema,
} from "../gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { listPage } from "../handlers/list-page.ts";
import { permittedResource } from "../handlers/permitted.ts";
import { implement, type Service } from "../service/service.ts";
import type { Sessions } from "../service/session.ts";
import { indexedConditions, scannedConditions } from "./advisory-filters.ts";

/** Read-only: advisories are created by `muster platform load`. */
export function advisoriesService(sessions: Sessions): Service {
  return implement(AdvisoriesService, {
    listAdvisories: (request, call) =>
      sessions.read(call, async (session) => {
        const { items, ...page } = await listPage(session, advisories, {
          schema: ListAdvisoriesRequestSchema,
          request,
          conditions: indexedConditions(request),
          scanned: scannedConditions(request),
        });
        return create(ListAdvisoriesResponseSchema, { advisories: items, ...page });
      }),

    getAdvisory: ({ uid }, call) =>
      sessions.read(call, (session) => permittedResource(session, advisories, Capability.CAP_ADVISORIES_LIST, uid)),
  });
}
