import type { KindName } from "#src/kinds/kinds.ts";
import type { InvalidCase, ValidCase } from "./case.ts";
import * as group from "./group.ts";
import * as identity from "./identity.ts";
import * as roleBinding from "./role-binding.ts";

export const cases: Readonly<
  Record<KindName, { readonly valid: readonly ValidCase[]; readonly invalid: readonly InvalidCase[] }>
> = { Group: group, Identity: identity, RoleBinding: roleBinding };
