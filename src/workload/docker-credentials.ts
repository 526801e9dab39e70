import { asciiLowerCase } from "#src/text/ascii-case.ts";

/** The verbs of Docker's protocol for credential helpers. */
export const dockerVerbs = ["get", "store", "erase", "list"] as const;
export type DockerVerb = (typeof dockerVerbs)[number];

export interface DockerRequest {
  readonly verb: DockerVerb;
  /** What Docker wrote to standard input: the address of a registry for `get`. */
  readonly input: string;
}

export interface DockerCredentials {
  /** The registries that accept the platform's tokens: `HOST` or `HOST:PORT`. */
  readonly registries: readonly string[];
  readonly username: string;
  /** Called only for an address in `registries`. */
  readonly token: () => Promise<string>;
}

/** Docker recognizes this text in the output of a helper, and then goes on without credentials. */
const notFound = "credentials not found in native keychain";

/**
 * Responds to one call of Docker. The credentials of these registries are the token of the identity, so nothing is ever
 * stored; `erase` (`docker logout`) succeeds without effect.
 * @returns what to write to standard output
 * @throws {Error} whose message belongs on standard output, too, from where Docker reads it
 */
export async function respondToDocker(
  { verb, input }: DockerRequest,
  { registries, username, token }: DockerCredentials,
): Promise<string> {
  switch (verb) {
    case "get": {
      const address = input.trim();
      if (!isRegistry(registries, address)) throw new Error(notFound);
      return JSON.stringify({ ServerURL: address, Username: username, Secret: await token() });
    }
    case "list":
      return JSON.stringify(Object.fromEntries(registries.map((registry) => [registry, username])));
    case "erase":
      return "";
    case "store":
      throw new Error(
        `credentials for ${registries.join(", ")} are not stored: they are obtained for each request, without docker login`,
      );
  }
}

/** Whether an address is that of one of the registries. */
export function isRegistry(registries: readonly string[], address: string): boolean {
  return registries.map(hostOf).includes(hostOf(address));
}

/** Docker passes `registry.example.com`, `registry.example.com:5000` or `https://registry.example.com/v1/`. */
function hostOf(address: string): string {
  return asciiLowerCase(address.replace(/^[a-z]+:\/\//i, "").replace(/\/.*$/s, ""));
}
