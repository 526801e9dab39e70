import { RoleBindingsService } from "#src/platform/gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import type { Api, Json, Method } from "../../client/api.ts";
import { equal, has, refused, succeeded } from "../../expect.ts";
import { type Chapter, overBoth } from "../../sentence.ts";
import type { World } from "../../world.ts";

const batchCreate: Method = {
  http: { verb: "POST", path: "/iam/v2beta1/roleBindings:batchCreate" },
  rpc: RoleBindingsService.method.batchCreateRoleBindings,
};

interface Binding {
  readonly identityUid?: string;
  readonly roleUid?: string;
}

/** A batch in one group, as the admin or another caller. */
const batch = (world: World, bindings: readonly Binding[], api: Api = world.api) =>
  api.call(batchCreate, { parent: world.group, requests: bindings.map((roleBinding) => ({ roleBinding })) });

const bindingsOf = (answer: Json) => answer["roleBindings"] as readonly Json[];

const bindingsIn = (world: World, group = world.group) =>
  world.rows("roleBindings", { uidp: { childrenOf: group }, pageSize: 200 });

/** Batches of role bindings, beside what the chapter of methods says of them. */
export const batches: Chapter = {
  title: "Batches of role bindings",
  origin: "decided",
  sentences: [
    {
      id: "batches.answer",
      says: "The answer is {roleBindings}: hydrated, in the order of the requests.",
      cases: [
        overBoth(async (world) => {
          const roles = [await world.builtInRole("viewer"), await world.builtInRole("editor")];
          const bindings: Binding[] = [];
          for (const roleUid of [...roles, ...roles.toReversed()])
            bindings.push({ identityUid: await world.makeIdentity(), roleUid });
          const answer = succeeded(await batch(world, bindings));
          equal(Object.keys(answer), ["roleBindings"], "the fields of the answer");
          const made = bindingsOf(answer);
          equal(made.length, bindings.length, "how many there are");
          for (const [index, { identityUid, roleUid }] of bindings.entries()) {
            const binding = made[index];
            has(
              binding,
              { identity: { uid: identityUid }, role: { uid: roleUid }, group: { uid: world.group } },
              "one",
            );
            equal(succeeded(await world.api.get("roleBindings", binding?.uid ?? "")), binding, "it as it is read");
          }
        }),
      ],
    },
    {
      id: "batches.size",
      says: "25 are made at once; no request at all is code 3.",
      cases: [
        overBoth("25", async (world) => {
          const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
          // Equal bindings may be refused, those of different groups not.
          const groups = (await world.makeGroups(25)).map(({ uid }) => uid);
          const requests = groups.map((parent) => ({ parent, roleBinding: { identityUid, roleUid } }));
          const made = bindingsOf(succeeded(await world.api.call(batchCreate, { parent: "", requests })));
          equal(
            made.map((binding) => (binding["group"] as Json).uid),
            groups,
            "their groups",
          );
        }),
        overBoth("none", async (world) => void refused(await batch(world, []), { code: 3, field: "requests" })),
      ],
    },
    {
      id: "batches.role",
      says: "`roleUid` of the batch is the role of the requests that name none.",
      cases: [
        overBoth(async (world) => {
          const [viewer, editor] = [await world.builtInRole("viewer"), await world.builtInRole("editor")];
          const [first, second] = [await world.makeIdentity(), await world.makeIdentity()];
          const requests = [
            { roleBinding: { identityUid: first } },
            { roleBinding: { identityUid: second, roleUid: editor } },
          ];
          const input = { parent: world.group, requests, roleUid: viewer };
          const made = bindingsOf(succeeded(await world.api.call(batchCreate, input)));
          equal(
            made.map((binding) => (binding["role"] as Json).uid),
            [viewer, editor],
            "their roles",
          );
        }),
      ],
    },
    {
      id: "batches.parent",
      says: "A request's parent is the batch's, or left out; under another the batch is code 3 (AIP-231).",
      cases: [
        overBoth(async (world) => {
          const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
          const other = await world.makeGroup();
          const requests = [{ parent: other, roleBinding: { identityUid, roleUid } }];
          const outcome = await world.api.call(batchCreate, { parent: world.group, requests });
          refused(outcome, { code: 3 }, "a request with another parent");
          equal(await bindingsIn(world, other), [], "the bindings that were made");
        }),
      ],
    },
    {
      id: "batches.all-or-nothing",
      says: "Whatever is wrong with one of a batch, none is made.",
      cases: [
        overBoth("what is missing", async (world) => {
          const [identityUid, roleUid] = [await world.makeIdentity(), await world.builtInRole("viewer")];
          const right = { identityUid, roleUid };
          refused(await batch(world, [right, { roleUid }]), { code: 3, field: "identityUid" }, "one without identity");
          refused(await batch(world, [right, { identityUid }]), { code: 3, field: "roleUid" }, "one without role");
          const gone = { identityUid: `${world.group}/${"0".repeat(16)}`, roleUid };
          refused(await batch(world, [right, gone]), { code: 5 }, "one of an identity that is not there");
          equal(await bindingsIn(world), [], "the bindings that were made");
        }),
        overBoth("what the caller may not give", async (world) => {
          const { api } = await world.caller("limited_owner");
          const [identityUid, viewer] = [await world.makeIdentity(), await world.builtInRole("viewer")];
          const before = await bindingsIn(world);
          const right = { identityUid, roleUid: viewer };
          const wrong = { identityUid, roleUid: await world.builtInRole("owner") };
          refused(await batch(world, [right, wrong], api), { code: 7, reason: "PERMISSION_DENIED" }, "a batch");
          equal(await bindingsIn(world), before, "the bindings that there are");
          succeeded(await batch(world, [right], api), "a batch of what the caller may give");
        }),
      ],
    },
  ],
};
