import type { DescMethod, DescService, Message, MessageShape } from "@bufbuild/protobuf";
import type { Caller } from "../authorization/caller.ts";
import { checkSizes } from "../contract/check-sizes.ts";
import type { CallDetails } from "../audit/authored-writer.ts";
import type { CallSlot } from "./call-slots.ts";

/** The context of a call. */
export interface Call extends CallDetails {
  /** The authenticated caller. */
  readonly caller: Caller;
}

/** The context of a call whose bearer token is not an API token. */
export interface AnonymousCall extends CallDetails {
  readonly bearer: string;
  /** The slot of the call, which the handler gives up while it waits for somebody else. */
  readonly slot: CallSlot;
}

type Handler<M extends DescMethod, C> = (
  request: MessageShape<M["input"]>,
  call: C,
) => Promise<MessageShape<M["output"]>>;

/** One function per method, from request message to response message, independent of the transport. It throws `ApiError`. */
export type Handlers<S extends DescService, C = Call> = {
  readonly [K in keyof S["method"]]: Handler<S["method"][K], C>;
};

type AnyHandler<C> = (request: Message, call: C) => Promise<Message>;

/** A service of the contract with its handlers. */
export type Service = {
  readonly desc: DescService;
  /** The transports that serve it. */
  readonly transports: "all" | "rest";
} & (
  | {
      readonly authentication: "required";
      /** Undefined if the platform does not implement the method. */
      handler(method: DescMethod): AnyHandler<Call> | undefined;
    }
  | {
      readonly authentication: "none";
      handler(method: DescMethod): AnyHandler<AnonymousCall> | undefined;
    }
);

/** A service whose methods all require an API token. */
export function implement<S extends DescService>(
  desc: S,
  handlers: Handlers<S>,
  transports: Service["transports"] = "all",
): Service {
  return { desc, transports, authentication: "required", handler: (method) => handlerOf<Call>(handlers, method) };
}

/** A service that checks the bearer token itself: the token exchange. */
export function implementAnonymous<S extends DescService>(desc: S, handlers: Handlers<S, AnonymousCall>): Service {
  return {
    desc,
    transports: "all",
    authentication: "none",
    handler: (method) => handlerOf<AnonymousCall>(handlers, method),
  };
}

function handlerOf<C>(handlers: object, method: DescMethod): AnyHandler<C> | undefined {
  const handler = (handlers as Readonly<Record<string, AnyHandler<C>>>)[method.localName];
  return (
    handler &&
    ((request, call) => {
      checkSizes(method.input, request);
      return handler(request, call);
    })
  );
}
