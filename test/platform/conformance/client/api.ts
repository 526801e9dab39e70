import type { DescMethodUnary } from "@bufbuild/protobuf";
import type { Transport } from "../sentence.ts";
import type { CollectionName } from "./collections.ts";

/** A resource or an answer as the contract's JSON, over gRPC too; what cases look at by name, and whatever else it has. */
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

/** What a call came to. An answer that is in neither shape is thrown as a `Mismatch`. */
export type Outcome<T = Json> =
  | { readonly ok: true; readonly body: T }
  | { readonly ok: false; readonly failure: Failure };

/** What a List is asked; names as in JSON. */
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
  /** Filters of the resource. */
  readonly [filter: string]: unknown;
}

/** A method beside the five of every collection. */
export interface Method {
  /** Where its input goes over REST: into the query of a GET and DELETE, into the JSON body of the others. */
  readonly http: { readonly verb: "GET" | "POST" | "PUT" | "DELETE"; readonly path: string };
  readonly rpc: DescMethodUnary;
}

/** A caller: the methods of the contract over one transport with one token. */
export interface Api {
  readonly transport: Transport;
  list(collection: CollectionName, query?: Query): Promise<Outcome>;
  get(collection: CollectionName, uid: string): Promise<Outcome>;
  create(collection: CollectionName, parent: string, body: object): Promise<Outcome>;
  /** @param mask its paths; without one, the fields of the body change */
  update(collection: CollectionName, uid: string, body: object, mask?: readonly string[]): Promise<Outcome>;
  /** The body is `undefined` where the answer has none. */
  delete(collection: CollectionName, uid: string): Promise<Outcome<Json | undefined>>;
  call(method: Method, input: Readonly<Record<string, unknown>>): Promise<Outcome>;
}
