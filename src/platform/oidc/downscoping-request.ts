import { notDownscoped, type Downscoping } from "../authorization/caller.ts";
import { capabilityNamed } from "../authorization/capability.ts";
import { isUid } from "../contract/uid.ts";
import { invalidArgument } from "../errors/api-error.ts";

/** The downscoping that an exchange requests. @throws ApiError (3) */
export function readDownscoping(request: {
  readonly scope: string;
  readonly scopes: readonly string[];
  readonly cap: readonly string[];
}): Downscoping {
  const groups = [...new Set(request.scope === "" ? request.scopes : [request.scope, ...request.scopes])];
  for (const uid of groups) if (!isUid(uid)) throw invalidArgument("scope", "must be the uid of a group");
  const capabilities = request.cap.map((name) => {
    const capability = capabilityNamed(name);
    if (capability === undefined) throw invalidArgument("cap", `unknown capability "${name}"`);
    return capability;
  });
  return {
    capabilities: capabilities.length === 0 ? notDownscoped.capabilities : new Set(capabilities),
    groups: groups.length === 0 ? notDownscoped.groups : groups,
  };
}
