import { Agent } from "undici";
import type { Transport, Api } from "./client/api.ts";
import { GrpcApi, GrpcChannel } from "./client/grpc.ts";
import { RestApi } from "./client/rest.ts";
import type { Transcript } from "./client/transcript.ts";
import type { Target } from "./settings.ts";

/** The connections to one platform, shared by all callers. */
export class Connection {
  readonly target: Target;
  readonly #dispatcher: Agent;
  readonly #channel: GrpcChannel | undefined;

  constructor(target: Target) {
    this.target = target;
    const { ca, grpcUrl: url, vendor } = target;
    this.#dispatcher = new Agent(ca === undefined ? {} : { connect: { ca } });
    this.#channel = url === undefined ? undefined : new GrpcChannel({ url, ca, vendor });
  }

  get hasGrpc(): boolean {
    return this.#channel !== undefined;
  }

  rest(token: string | undefined, transcript: Transcript, signal: AbortSignal): RestApi {
    return new RestApi({ url: this.target.url, token, dispatcher: this.#dispatcher, transcript, signal });
  }

  grpc(token: string | undefined, transcript: Transcript, signal: AbortSignal): GrpcApi {
    if (this.#channel === undefined) throw new Error("--grpc is not set: check hasGrpc first");
    return new GrpcApi({ channel: this.#channel, token, transcript, signal });
  }

  /** The token service, which can have another address than the API over REST. */
  tokenService(transport: Transport, token: string | undefined, transcript: Transcript, signal: AbortSignal): Api {
    return transport === "grpc"
      ? this.grpc(token, transcript, signal)
      : this.tokenServiceOverRest(token, transcript, signal);
  }

  tokenServiceOverRest(token: string | undefined, transcript: Transcript, signal: AbortSignal): RestApi {
    return new RestApi({ url: this.target.authUrl, token, dispatcher: this.#dispatcher, transcript, signal });
  }

  async close(): Promise<void> {
    this.#channel?.close();
    await this.#dispatcher.destroy();
  }
}
