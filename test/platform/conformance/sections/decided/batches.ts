import type { Api, Json } from "../../client/api.ts";
import { batchCreate } from "../../client/iam-methods.ts";
import { equal, has, rejected, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";

interface Binding {
  readonly identityUid?: string;
  readonly roleUid?: string;
}

/** Creates a batch in the case's group, as the admin or as another caller. */
const batch = (world: World, bindings: readonly Binding[], api: Api = world.api) =>
  api.call(batchCreate, { parent: world.group, requests: bindings.map((roleBinding) => ({ roleBinding })) });

const bindingsOf = (response: Json) => response["roleBindings"] as readonly Json[];

const bindingsIn = (world: World, group = world.group) =>
  world.list("roleBindings", { uidp: { childrenOf: group }, pageSize: 200 });

/** Batches of role bindings, in addition to the requirements in methods.ts. */
export const batches = decidedSection("Batches of role bindings", [
  requirement(
    "batches.response",
    "The response is `{roleBindings}`: hydrated, in the order of the requests.",
    overBoth(async (world) => {
      const roles = [await world.builtInRole("viewer"), await world.builtInRole("editor")];
      const bindings: Binding[] = [];
      for (const roleUid of [...roles, ...roles.toReversed()])
        bindings.push({ identityUid: await world.makeIdentity(), roleUid });
      const response = succeeded(await batch(world, bindings));
      equal(Object.keys(response), ["roleBindings"], "the fields of the response");
      const made = bindingsOf(response);
      equal(made.length, bindings.length, "the number of bindings");
      for (const [index, { identityUid, roleUid }] of bindings.entries()) {
        const binding = made[index];
        has(
          binding,
          { identity: { uid: identityUid }, role: { uid: roleUid }, group: { uid: world.group } },
          "a binding",
        );
        equal(
          succeeded(await world.api.get("roleBindings", binding?.uid ?? "")),
          binding,
          "the binding that Get returns",
        );
      }
    }),
  ),
  requirement(
    "batches.size",
    "A batch can have 25 requests; an empty batch is code 3.",
    overBoth("25", async (world) => {
      const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
      // A platform can reject equal bindings, but not in different groups.
      const groups = (await world.makeGroups(25)).map(({ uid }) => uid);
      const requests = groups.map((parent) => ({ parent, roleBinding: { identityUid, roleUid } }));
      const made = bindingsOf(succeeded(await world.api.call(batchCreate, { parent: "", requests })));
      equal(
        made.map((binding) => (binding["group"] as Json).uid),
        groups,
        "their groups",
      );
    }),
    overBoth("an empty batch", async (world) => void rejected(await batch(world, []), { code: 3, field: "requests" })),
  ),
  requirement(
    "batches.role",
    "The batch's `roleUid` is the role of the requests that have no `roleUid`; a request with another one is code 3.",
    overBoth(async (world) => {
      const [viewer, editor] = [await world.builtInRole("viewer"), await world.builtInRole("editor")];
      const [first, second] = [await world.makeIdentity(), await world.makeIdentity()];
      const requests = [
        { roleBinding: { identityUid: first } },
        { roleBinding: { identityUid: second, roleUid: viewer } },
      ];
      const input = { parent: world.group, requests, roleUid: viewer };
      const made = bindingsOf(succeeded(await world.api.call(batchCreate, input)));
      equal(
        made.map((binding) => (binding["role"] as Json).uid),
        [viewer, viewer],
        "their roles",
      );
      const conflict = [{ roleBinding: { identityUid: second, roleUid: editor } }];
      rejected(
        await world.api.call(batchCreate, { parent: world.group, requests: conflict, roleUid: viewer }),
        { code: 3, field: "requests[0].roleBinding.roleUid" },
        "a request with another role",
      );
    }),
  ),
  requirement(
    "batches.parent",
    "A request's parent is absent or equal to the batch's; any other is code 3 (AIP-231).",
    overBoth(async (world) => {
      const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
      const other = await world.makeGroup();
      const roleBinding = { identityUid, roleUid };
      const requests = [
        { parent: world.group, roleBinding },
        { parent: other, roleBinding },
      ];
      const outcome = await world.api.call(batchCreate, { parent: world.group, requests });
      rejected(outcome, { code: 3, field: "requests[1].parent" }, "a request with another parent");
      for (const group of [world.group, other]) equal(await bindingsIn(world, group), [], "the created bindings");
    }),
  ),
  requirement(
    "batches.all-or-nothing",
    "If one request of a batch is invalid, no binding is created.",
    overBoth("missing fields and missing identities", async (world) => {
      const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
      const valid = { identityUid, roleUid };
      rejected(
        await batch(world, [valid, { roleUid }]),
        { code: 3, field: "identityUid" },
        "a request without identity",
      );
      rejected(await batch(world, [valid, { identityUid }]), { code: 3, field: "roleUid" }, "a request without role");
      const gone = { identityUid: `${world.group}/${"0".repeat(16)}`, roleUid };
      rejected(await batch(world, [valid, gone]), { code: 5 }, "a request with a missing identity");
      const malformed = { identityUid: "nonsense", roleUid };
      rejected(await batch(world, [valid, malformed]), { code: 3 }, "a request with a malformed identity");
      equal(await bindingsIn(world), [], "the created bindings");
    }),
    overBoth("a role that the caller cannot grant", async (world) => {
      const { api } = await world.caller("limited_owner");
      const [identityUid, viewer] = [await world.makeIdentity(), await world.builtInRole("viewer")];
      const before = await bindingsIn(world);
      const allowed = { identityUid, roleUid: viewer };
      const forbidden = { identityUid, roleUid: await world.builtInRole("owner") };
      rejected(await batch(world, [allowed, forbidden], api), { code: 7, reason: "PERMISSION_DENIED" }, "a batch");
      equal(await bindingsIn(world), before, "the bindings afterwards");
      succeeded(await batch(world, [allowed], api), "a batch with a role that the caller can grant");
    }),
  ),
]);
