import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenOnLoopback } from "#test/support/loopback.ts";

/** How the server handles one request. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on loopback that handles the nth request with the nth behaviour, and all further ones with the last. */
export async function serve(...behaviours: readonly Behaviour[]) {
  const requests: {
    readonly method: string;
    readonly url: string;
    readonly authorization: string;
    readonly body: string;
  }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => {
      const behaviour = behaviours[Math.min(requests.length, behaviours.length - 1)];
      const { method = "", url = "", headers } = request;
      requests.push({
        method,
        url,
        authorization: headers.authorization ?? "",
        body: Buffer.concat(chunks).toString(),
      });
      behaviour?.(request, response);
    });
  });
  const port = await listenOnLoopback(server);
  return {
    requests,
    url: new URL(`http://127.0.0.1:${port}`),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body === undefined ? "" : JSON.stringify(body));
  };
}

export function rejects(status: number, code: number, headers?: Readonly<Record<string, string>>): Behaviour {
  return json(status, { code, message: `rejected with ${code}`, details: [] }, headers);
}
