import type { DescMethod, Message } from "@bufbuild/protobuf";
import { unimplemented } from "../errors/api-error.ts";
import type { Authenticator } from "./authenticator.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { Service } from "./service.ts";

/** A method of the contract that any transport can call. */
export interface Operation {
  readonly method: DescMethod;
  /** The name in logs and metrics: `muster.platform.iam.v2beta1.GroupsService/GetGroup`. */
  readonly name: string;
  /** Whether the bearer token must be an API token. */
  readonly authentication: Service["authentication"];
  readonly transports: Service["transports"];
  /**
   * Authenticates and runs the handler.
   * @param bearer the bearer token of the call, without `Bearer `
   * @throws ApiError
   */
  readonly invoke: (request: Message, bearer: string | undefined) => Promise<Message>;
}

/**
 * All methods of the services. They are the only way into a handler, whatever the transport.
 * @param rateLimit for each identity; the admin is not limited
 */
export function operationsOf(
  services: readonly Service[],
  authenticator: Authenticator,
  rateLimit: RateLimit | undefined,
): Operation[] {
  return services.flatMap((service) =>
    service.desc.methods.map((method): Operation => {
      const name = `${service.desc.typeName}/${method.name}`;
      const { authentication, transports } = service;
      if (authentication === "none") {
        const handler = service.handler(method) ?? notImplemented;
        return { method, name, authentication, transports, invoke: (request, bearer) => handler(request, { bearer }) };
      }
      const handler = service.handler(method) ?? notImplemented;
      return {
        method,
        name,
        authentication,
        transports,
        invoke: async (request, bearer) => {
          const caller = await authenticator.authenticate(bearer);
          if (caller.kind === "identity") rateLimit?.admit(caller.uid);
          return handler(request, { caller });
        },
      };
    }),
  );
}

function notImplemented(): never {
  throw unimplemented("this platform does not implement the method");
}
