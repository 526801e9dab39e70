import type { DescMethod, DescService, Message, MessageShape } from "@bufbuild/protobuf";
import type { Caller } from "../access/caller.ts";

/** What a handler knows of a call beside its request. */
export interface Call {
  /** Who calls, proved. */
  readonly caller: Caller;
}

/** What the methods that take a foreign token as their bearer know of a call. */
export interface AnonymousCall {
  readonly bearer: string | undefined;
}

type Handler<M extends DescMethod, C> = (
  request: MessageShape<M["input"]>,
  call: C,
) => Promise<MessageShape<M["output"]>>;

/** One function a method: plain messages in and out, an `ApiError` thrown; no transport shows. */
export type Handlers<S extends DescService, C = Call> = {
  readonly [K in keyof S["method"]]: Handler<S["method"][K], C>;
};

type AnyHandler<C> = (request: Message, call: C) => Promise<Message>;

/** A service of the contract with its handlers, as every transport mounts it. */
export type Service =
  | {
      readonly desc: DescService;
      readonly authentication: "required";
      handler(method: DescMethod): AnyHandler<Call>;
    }
  | {
      readonly desc: DescService;
      readonly authentication: "none";
      handler(method: DescMethod): AnyHandler<AnonymousCall>;
    };

/** A service whose methods all need an API token. */
export function implement<S extends DescService>(desc: S, handlers: Handlers<S>): Service {
  return { desc, authentication: "required", handler: (method) => handlerOf<Call>(handlers, method) };
}

/** A service that judges the bearer by itself: the token exchange. */
export function implementAnonymous<S extends DescService>(desc: S, handlers: Handlers<S, AnonymousCall>): Service {
  return { desc, authentication: "none", handler: (method) => handlerOf<AnonymousCall>(handlers, method) };
}

function handlerOf<C>(handlers: object, method: DescMethod): AnyHandler<C> {
  return (handlers as Readonly<Record<string, AnyHandler<C>>>)[method.localName] as AnyHandler<C>;
}
