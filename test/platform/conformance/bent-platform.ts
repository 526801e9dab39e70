import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, request } from "undici";

/** An answer on its way to the caller. */
export interface Answer {
  status: number;
  text: string;
}

/** What is wrong with a platform. */
export interface Bend {
  /** Changes what is asked for. @param path with its query */
  readonly asked?: (path: string) => string;
  /** Changes an answer, in place. @param call such as `GET /iam/v2beta1/groups?page_size=1` */
  readonly answered?: (answer: Answer, call: string) => void;
}

/** Several at once, one after the other. */
export function together(bends: readonly Bend[]): Bend {
  return {
    asked: (path) => bends.reduce((bent, { asked }) => asked?.(bent) ?? bent, path),
    answered: (answer, call) => {
      for (const { answered } of bends) answered?.(answer, call);
    },
  };
}

/** A platform that is not as it should be: another one's HTTP/JSON, bent. */
export class BentPlatform {
  readonly #server: Server;
  readonly #agent: Agent;
  readonly url: string;

  private constructor(server: Server, agent: Agent) {
    this.#server = server;
    this.#agent = agent;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(target: string, { asked = (path) => path, answered }: Bend): Promise<BentPlatform> {
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
        const response = await request(target + asked(path), {
          method: verb,
          headers: forwarded,
          body,
          dispatcher: agent,
        });
        const answer = { status: response.statusCode, text: await response.body.text() };
        answered?.(answer, `${verb} ${path}`);
        outgoing.writeHead(answer.status, { "content-type": String(response.headers["content-type"]) });
        outgoing.end(answer.text);
      };
      pass().catch((error: unknown) => outgoing.destroy(error as Error));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new BentPlatform(server, agent);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#agent.destroy();
  }
}
