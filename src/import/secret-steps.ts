import { makeSecret } from "#src/kinds/secret-commands.ts";
import type { NeededSecret } from "./imported-tree.ts";

/** The commands that make the Secret of an identity provider, in order. FILE is the file with the client secret. */
export function secretCommands(secret: NeededSecret): readonly string[] {
  return makeSecret(secret, secret.issuer, "FILE");
}

/** What the manifest of an identity provider says of its Secret. @param uid of the provider */
export function secretComment(uid: string, secret: NeededSecret): readonly string[] {
  return [
    "The platform never returns a client secret, so a person has to make the Secret that this object names:",
    ...secretCommands(secret).map((command) => `  ${command}`),
    "FILE must not end with a line break. The condition Ready prints how to let the operator read the Secret.",
    "With management Observe, nothing reads the Secret, and it may be missing. An object that manages the provider",
    "is not Ready without it: the platform keeps the client secret that it has, so people still log in.",
    `If the provider has no client secret, import with --without-secret ${uid}`,
  ];
}
