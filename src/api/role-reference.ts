import * as z from "zod";
import { roleName } from "./built-in-role.ts";
import { namespaceName } from "./reference.ts";
import { withRules } from "./rule.ts";

/** A reference to a role that is granted: a built-in role by its name, or a Role object. */
export const roleReference = withRules(
  z.object({
    kind: z
      .enum(["Role"])
      .exactOptional()
      .describe("Kind of the object that declares the role. If absent, name is the name of a built-in role."),
    name: roleName.describe(
      "Name of a built-in role, such as viewer, editor or registry.pull; with kind, name of the Role object.",
    ),
    namespace: namespaceName
      .exactOptional()
      .describe(
        "Namespace of the Role object, only with kind. Defaults to the namespace of this object. In a namespace of another Tenant, the Role must list this namespace in spec.allowedNamespaces.",
      ),
  }),
  {
    rule: "has(self.kind) || !has(self.namespace)",
    message: "namespace must not be set without kind: a built-in role is in no namespace",
    fieldPath: ".namespace",
    holds: ({ kind, namespace }) => kind !== undefined || namespace === undefined,
  },
  {
    rule: "!has(self.kind) || self.name.matches(r'^[-a-z0-9.]+$')",
    message: "name must be the name of a Kubernetes object if kind is set: lowercase letters, digits, '-' and '.'",
    fieldPath: ".name",
    holds: ({ kind, name }) => kind === undefined || /^[-a-z0-9.]+$/.test(name),
  },
);

export type RoleReference = z.output<typeof roleReference>;
