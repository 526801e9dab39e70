import { readText } from "#src/files/read-text.ts";

/** Returns the workload's own OIDC token. A rejection has a message for people, which does not contain a token. */
export type ReadSubjectToken = () => Promise<string>;

/** Reads the token from `path` for each exchange, because the kubelet replaces the file. */
export function subjectTokenFile(path: string): ReadSubjectToken {
  return async () => {
    const token = await readText(path).catch((error: Error) => {
      throw new Error(`the token file ${path} cannot be read: ${error.message}`, { cause: error });
    });
    if (token.trim() === "") throw new Error(`the token file ${path} is empty`);
    return token.trim();
  };
}
