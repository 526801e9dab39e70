import * as group from "./group.ts";
import * as identity from "./identity.ts";
import * as roleBinding from "./role-binding.ts";

export const cases = { Group: group, Identity: identity, RoleBinding: roleBinding };
