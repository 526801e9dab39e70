import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** The files of a repository: their paths and texts. */
type Files = readonly (readonly [path: string, text: string])[];

interface Artifact {
  readonly digest: string;
  readonly url: string;
  readonly size: number;
}

/** Serves archives of files by their digest, as source-controller does. */
export class ArtifactServer {
  readonly #archives: Map<string, Buffer>;
  readonly #server: Server;

  private constructor(server: Server, archives: Map<string, Buffer>) {
    this.#server = server;
    this.#archives = archives;
  }

  static async start(): Promise<ArtifactServer> {
    const archives = new Map<string, Buffer>();
    const server = createServer(({ url = "" }, response) => {
      const archive = archives.get(url.slice(1));
      response.statusCode = archive === undefined ? 404 : 200;
      response.end(archive);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ArtifactServer(server, archives);
  }

  async add(files: Files): Promise<Artifact> {
    const archive = await archiveOf(files);
    const digest = createHash("sha256").update(archive).digest("hex");
    this.#archives.set(digest, archive);
    const { port } = this.#server.address() as AddressInfo;
    return { digest, size: archive.length, url: `http://127.0.0.1:${port}/${digest}` };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

async function archiveOf(files: Files): Promise<Buffer> {
  const root = await mkdtemp(join(tmpdir(), "muster-commit-"));
  try {
    for (const [path, text] of files) {
      await mkdir(join(root, dirname(path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const { stdout } = await execute("tar", ["-cz", "-C", root, "."], { encoding: "buffer", maxBuffer: 2 ** 24 });
    return stdout;
  } finally {
    await rm(root, { recursive: true });
  }
}
