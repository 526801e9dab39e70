import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";

/** A registry with one image, which only who has a token of the platform can pull. */
export interface Registry {
  readonly port: number;
  /** The user names that were sent with a token that the platform accepted. */
  readonly users: ReadonlySet<string>;
  close(): void;
}

const manifestType = "application/vnd.oci.image.manifest.v1+json";

/**
 * Starts a registry on all addresses of this machine, without TLS.
 * @param program the only file of the image
 * @param accepts whether a token of the platform may pull
 */
export async function startRegistry(program: string, accepts: (token: string) => Promise<boolean>): Promise<Registry> {
  const { manifest, blobs } = await imageWith(program);
  const users = new Set<string>();

  async function respond({ url = "", headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, encoded = ""] = /^Basic (\S+)$/i.exec(headers.authorization ?? "") ?? [];
    const [user = "", token = ""] = Buffer.from(encoded, "base64").toString().split(":");
    if (token === "" || !(await accepts(token))) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="registry"' }).end();
      return;
    }
    users.add(user);
    const { pathname } = new URL(url, "http://registry");
    const isManifest = pathname.includes("/manifests/");
    const body = isManifest ? manifest : blobs.get(pathname.slice(pathname.lastIndexOf("/") + 1));
    if (body === undefined) {
      response.writeHead(pathname === "/v2/" ? 200 : 404).end();
      return;
    }
    const type = isManifest ? manifestType : "application/octet-stream";
    response.writeHead(200, {
      "content-type": type,
      "content-length": body.length,
      "docker-content-digest": digestOf(body),
    });
    // Node.js sends no body in response to HEAD.
    response.end(body);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return { port: (server.address() as AddressInfo).port, users, close: () => void server.close() };
}

const digestOf = (content: Buffer) => `sha256:${createHash("sha256").update(content).digest("hex")}`;

/** An image with one program, which it runs. */
async function imageWith(program: string) {
  const { stdout: layer } = await promisify(execFile)(
    "tar",
    ["--create", "--directory", dirname(program), "--transform", "s|.*|program|", basename(program)],
    { encoding: "buffer", maxBuffer: 2 ** 26 },
  );
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === "x64" ? "amd64" : process.arch,
      os: "linux",
      config: { Entrypoint: ["/program"] },
      rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
    }),
  );
  const described = (mediaType: string, content: Buffer) => ({
    mediaType,
    digest: digestOf(content),
    size: content.length,
  });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: described("application/vnd.oci.image.config.v1+json", config),
      layers: [described("application/vnd.oci.image.layer.v1.tar", layer)],
    }),
  );
  return { manifest, blobs: new Map([config, layer].map((content) => [digestOf(content), content])) };
}
