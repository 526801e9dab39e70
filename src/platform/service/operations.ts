import type { DescMethod, Message } from "@bufbuild/protobuf";
import { unauthenticated, unimplemented } from "../errors/api-error.ts";
import type { Authenticator } from "./authenticator.ts";
import type { CallSlot } from "./call-slots.ts";
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
   * Authenticates the caller of a call, of which nothing else is judged before.
   * @param bearer the bearer token, without `Bearer `
   * @throws ApiError (16)
   */
  readonly authenticate: (bearer: string | undefined) => Promise<AuthenticatedCall>;
}

/**
 * Takes the slot of the call, reads the request and runs the handler.
 * @param read reads and checks the request. It may throw an `ApiError`.
 * @throws ApiError
 */
export type AuthenticatedCall = (slot: CallSlot, read: () => Message) => Promise<Message>;

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
        const authenticate = async (bearer: string | undefined): Promise<AuthenticatedCall> => {
          if (bearer === undefined || bearer === "") throw unauthenticated("a bearer token is required");
          return (slot, read) => {
            slot.takeUnauthenticated();
            return handler(read(), { bearer, slot, method: name, address: slot.address });
          };
        };
        return { method, name, authentication, transports, authenticate };
      }
      const handler = service.handler(method) ?? notImplemented;
      return {
        method,
        name,
        authentication,
        transports,
        authenticate: async (bearer) => {
          const caller = await authenticator.authenticate(bearer);
          return (slot, read) => {
            slot.takeFor(caller);
            if (caller.kind === "identity") rateLimit?.admit(caller.uid);
            return handler(read(), { caller, method: name, address: slot.address });
          };
        },
      };
    }),
  );
}

function notImplemented(): never {
  throw unimplemented("this platform does not implement the method");
}
