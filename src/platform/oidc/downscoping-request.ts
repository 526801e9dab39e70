import { notDownscoped, type Downscoping } from "../access/caller.ts";
import { capabilityNamed } from "../access/capability.ts";
import { invalidArgument } from "../errors/api-error.ts";
import { isUid } from "../contract/uid.ts";

/** What the caller of an exchange asks the token to be narrowed to. @throws ApiError (3) */
export function readDownscoping(request: {
  readonly scope: string;
  readonly scopes: readonly string[];
  readonly cap: readonly string[];
}): Downscoping {
  const groups = request.scope === "" ? request.scopes : [request.scope, ...request.scopes];
  for (const uid of groups) if (!isUid(uid)) throw invalidArgument("scope", "must be the uid of a group");
  const capabilities = request.cap.map((name) => {
    const capability = capabilityNamed(name);
    if (capability === undefined) throw invalidArgument("cap", `"${name}" is no capability`);
    return capability;
  });
  return {
    capabilities: capabilities.length === 0 ? notDownscoped.capabilities : new Set(capabilities),
    groups: groups.length === 0 ? notDownscoped.groups : groups,
  };
}
