import { createServer, type Server } from "node:http";
import { Agent, request } from "undici";
import { closeServer, listenOnLoopback, portOf } from "#test/support/loopback.ts";

/** A response that a mutation can change before it is sent to the caller. */
export interface HttpResponse {
  status: number;
  text: string;
}

/** A deviation from the contract. */
export interface Mutation {
  /** Changes the target of a request. @param path with its query */
  readonly rewritePath?: (path: string) => string;
  /** Changes a response in place. @param call such as `GET /iam/v2beta1/groups?page_size=1` */
  readonly changeResponse?: (response: HttpResponse, call: string) => void;
}

/** All mutations at once, applied in their order. */
export function combined(mutations: readonly Mutation[]): Mutation {
  return {
    rewritePath: (path) => mutations.reduce((rewritten, one) => one.rewritePath?.(rewritten) ?? rewritten, path),
    changeResponse: (response, call) => {
      for (const one of mutations) one.changeResponse?.(response, call);
    },
  };
}

/** A proxy in front of a platform's HTTP/JSON interface that deviates from the contract. */
export class MutantPlatform {
  readonly #server: Server;
  readonly #agent: Agent;
  readonly url: string;

  private constructor(server: Server, agent: Agent) {
    this.#server = server;
    this.#agent = agent;
    this.url = `http://127.0.0.1:${portOf(server)}`;
  }

  /** @param target the address of the platform that conforms */
  static async start(
    target: string,
    { rewritePath = (path) => path, changeResponse }: Mutation,
  ): Promise<MutantPlatform> {
    const agent = new Agent();
    const server = createServer((incoming, outgoing) => {
      const { method: verb = "GET", url: path = "/", headers } = incoming;
      const { authorization = "", "content-type": contentType = "" } = headers;
      const forwarded = {
        ...(authorization && { authorization }),
        ...(contentType && { "content-type": contentType }),
      };
      const body = verb === "GET" ? null : incoming;
      const pass = async () => {
        const received = await request(target + rewritePath(path), {
          method: verb,
          headers: forwarded,
          body,
          dispatcher: agent,
        });
        const response = { status: received.statusCode, text: await received.body.text() };
        changeResponse?.(response, `${verb} ${path}`);
        const type = received.headers["content-type"];
        outgoing.writeHead(response.status, type === undefined ? {} : { "content-type": String(type) });
        outgoing.end(response.text);
      };
      pass().catch((error: unknown) => outgoing.destroy(error as Error));
    });
    await listenOnLoopback(server);
    return new MutantPlatform(server, agent);
  }

  async stop(): Promise<void> {
    void closeServer(this.#server);
    await this.#agent.destroy();
  }
}
