import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Authenticator } from "./authenticator.ts";
import { unimplemented } from "../errors/api-error.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { Service } from "./service.ts";

/** A method of the contract, ready to be called by any transport. */
export interface Operation {
  readonly method: DescMethod;
  /** The label of logs and metrics: `muster.platform.iam.v2beta1.GroupsService/GetGroup`. */
  readonly name: string;
  /** Whether the bearer is an API token, or is judged by the method itself. */
  readonly authentication: Service["authentication"];
  /**
   * Authenticates and runs the handler.
   * @param bearer the token of the call, without `Bearer `
   * @throws ApiError
   */
  readonly invoke: (request: Message, bearer: string | undefined) => Promise<Message>;
}

/**
 * All methods of the services. The one way into a handler: REST and gRPC both mount these.
 * @param rateLimit of each identity; the admin has none
 */
export function operationsOf(
  services: readonly Service[],
  authenticator: Authenticator,
  rateLimit: RateLimit | undefined,
): Operation[] {
  return services.flatMap((service) =>
    service.desc.methods.map((method): Operation => {
      const name = `${service.desc.typeName}/${method.name}`;
      const { authentication } = service;
      if (authentication === "none") {
        const handler = service.handler(method);
        return {
          method,
          name,
          authentication,
          invoke: (request, bearer) => (handler ?? missing)(request, { bearer }),
        };
      }
      const handler = service.handler(method) ?? missing;
      return {
        method,
        name,
        authentication,
        invoke: async (request, bearer) => {
          const caller = await authenticator.authenticate(bearer);
          if (caller.kind === "identity") rateLimit?.admit(caller.uid);
          return handler(request, { caller });
        },
      };
    }),
  );
}

function missing(): never {
  throw unimplemented("this method is not served");
}
