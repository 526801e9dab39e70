import type { DescMethodUnary } from "@bufbuild/protobuf";
import type { CollectionName } from "./collections.ts";

/** The protocol over which a case calls the platform. */
export type Transport = "rest" | "grpc";

/** A resource or a response in the contract's JSON form, over gRPC too, with the fields that many cases read. */
export interface Json {
  readonly uid: string;
  readonly name: string;
  readonly description: string;
  readonly createTime: string;
  readonly updateTime: string;
  readonly nextPageToken?: string;
  readonly totalCount: string;
  readonly skipped: number;
  readonly [name: string]: unknown;
}

/** An error, in the shape of AIP-193. */
export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly details: readonly Readonly<Record<string, unknown>>[];
}

/** The result of a call. A response of neither form is thrown as a `Mismatch`. */
export type Outcome<T = Json> =
  | { readonly ok: true; readonly body: T }
  | { readonly ok: false; readonly failure: Failure };

/** The parameters of a List, named as in JSON. */
export interface Query {
  readonly uidp?: {
    readonly descendantsOf?: string;
    readonly childrenOf?: string;
    readonly ancestorsOf?: string;
    readonly inRoot?: boolean;
    readonly ids?: readonly string[];
  };
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly orderBy?: string;
  readonly skip?: number;
  /** A filter of the collection. */
  readonly [filter: string]: unknown;
}

/** A method other than the five that every collection has. */
export interface Method {
  /** Over REST, the input is the query of a GET or DELETE, and the JSON body otherwise. */
  readonly http: { readonly verb: "GET" | "POST" | "PUT" | "DELETE"; readonly path: string };
  readonly rpc: DescMethodUnary;
}

/** A caller: the contract's methods over one transport with one token. */
export interface Api {
  readonly transport: Transport;
  list(collection: CollectionName, query?: Query): Promise<Outcome>;
  get(collection: CollectionName, uid: string): Promise<Outcome>;
  create(collection: CollectionName, parent: string, body: object): Promise<Outcome>;
  /** @param mask the paths to update; without a mask, the fields present in the body are updated */
  update(collection: CollectionName, uid: string, body: object, mask?: readonly string[]): Promise<Outcome>;
  /** The outcome's body is `undefined` if the response has none. */
  delete(collection: CollectionName, uid: string): Promise<Outcome<Json | undefined>>;
  call(method: Method, input: Readonly<Record<string, unknown>>): Promise<Outcome>;
}
