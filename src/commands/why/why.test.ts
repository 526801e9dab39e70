import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reasons } from "#src/api/reason.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { ago, binding, identity, lease, led, object, root, tenant, WhyWorld } from "./why-world.testing.ts";

const world = new WhyWorld();
const { answer, causes, cluster, why } = world;

describe("muster why", () => {
  it("says that an object is Ready, and exits with 0", async () => {
    const { code, stdout, stderr } = await why("shop/Group/web");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^shop\/Group\/web is Ready\.\n/);
    expect(stdout).toMatch(/^ok +leader +Lease muster-system\/muster-operator /m);
  });

  it("says what a Ready object is on the platform, with a token", async () => {
    const group = await world.platform.admin.group(world.platform.root, "the-web");
    cluster.put("groups", object("Group", "web", { reason: "Available", uid: group, spec: { parentUid: root } }));
    const token = join(world.folder, "token");
    writeFileSync(token, `${world.platform.admin.token ?? ""}\n`);
    const asAdmin = ["--platform-url", world.gateway.url, "--token-file", token];
    const { stdout } = await why("shop/Group/web", ...asAdmin);
    expect(stdout).toContain(`group ${group}: The group the-web exists at ${world.gateway.url}.`);
    expect(world.gateway.calls.every((call) => call.startsWith("GET "))).toBe(true);
    await world.platform.admin.ok("DELETE", `/iam/v2beta1/groups/${group}`);
    const gone = await why("shop/Group/web", ...asAdmin);
    expect(gone.stdout).toMatch(/Unknown: group .* it is gone, or you lack the permission\./);
  });

  it("names the check that decided", async () => {
    const web = object("Group", "web", { reason: "InvalidSpec", spec: { parentUid: root } });
    cluster.put("groups", { ...web, status: { ...web.status, decidedBy: "specInvalid" } });
    expect((await why("shop/Group/web")).stdout).toMatch(
      /^PROBLEM +object +shop\/Group\/web +InvalidSpec +specInvalid /m,
    );
    expect((await answer("shop/Group/web")).chain[0]).toMatchObject({ decidedBy: "specInvalid" });
  });

  it("follows references to the object that is not Ready, and exits with 3", async () => {
    cluster.put("rolebindings", object("RoleBinding", "ci-edits", { reason: "ReferenceNotReady", spec: binding }));
    cluster.put("identities", object("Identity", "ci", { reason: "ReferenceNotReady", spec: identity }));
    cluster.put(
      "groups",
      object("Group", "web", { reason: "InvalidSpec", message: "spec.name: taken", spec: { parentUid: root } }),
    );
    const { code, stdout, stderr } = await why("shop/RoleBinding/ci-edits");
    expect({ code, stderr }).toEqual({ code: 3, stderr: "muster why: shop/RoleBinding/ci-edits is not Ready\n" });
    expect(stdout).toContain("The cause is shop/Group/web (InvalidSpec).");
    expect(stdout).toContain("Cause: shop/Group/web: spec.name: taken\n");
    expect(stdout).toContain(`Fix: ${reasons.InvalidSpec.fix}\n`);
    expect(await causes("shop/RoleBinding/ci-edits")).toEqual(["shop/Group/web InvalidSpec"]);
  });

  it("finds a missing object at the end of the chain", async () => {
    cluster.put(
      "rolebindings",
      object("RoleBinding", "x", { reason: "ReferenceNotFound", spec: { ...binding, identityRef: { name: "cl" } } }),
    );
    expect(await causes("shop/mrb/x")).toEqual(["shop/Identity/cl ReferenceNotFound"]);
  });

  it("ends where references form a circle", async () => {
    for (const [name, parent] of [
      ["a", "b"],
      ["b", "a"],
    ] as const)
      cluster.put(
        "groups",
        object("Group", name, { reason: "ReferenceNotReady", spec: { parentRef: { name: parent } } }),
      );
    const { causes: found } = await answer("shop/Group/a");
    expect(found.map(({ message }) => message)).toEqual([
      "The references lead back to where they began: shop/Group/a → shop/Group/b → shop/Group/a.",
    ]);
  });

  it("says which namespace an object of another one does not allow", async () => {
    cluster.put("groups", object("Group", "g", { namespace: "other", reason: "Available", spec: { parentUid: root } }));
    const spec = { ...binding, groupRef: { name: "g", namespace: "other" } };
    cluster.put("rolebindings", object("RoleBinding", "x", { reason: "ReferenceNotGranted", spec }));
    const { causes: found, chain } = await answer("shop/RoleBinding/x");
    expect(found.map(({ reason, subject }) => [subject, reason])).toEqual([
      ["shop/RoleBinding/x", "ReferenceNotGranted"],
    ]);
    expect(chain.find(({ subject }) => subject === "other/Group/g")?.message).toContain("does not list shop");
  });

  it("takes nothing for the cause that the caller may not read", async () => {
    cluster.put(
      "rolebindings",
      object("RoleBinding", "x", {
        reason: "ReferenceNotReady",
        spec: { ...binding, groupRef: { name: "g", namespace: "other" } },
      }),
    );
    cluster.forbidden.add("namespaces/other/groups/g").add("tenants").add("tenants/shop");
    cluster.forbidden.add("namespaces/muster-system/leases/muster-operator");
    const { stdout } = await why("shop/RoleBinding/x");
    expect(stdout).toContain("The cause is shop/RoleBinding/x (ReferenceNotReady).");
    expect(stdout).toMatch(/Unknown: other\/Group\/g: It cannot be read: .*forbidden/);
    expect(stdout).toMatch(/Unknown: Tenant\/shop: It governs the object, and cannot be read: .*forbidden/);
    expect(stdout).toContain(
      "ask an administrator, who may read Tenants, to run: kubectl describe tenants.iam.muster.dev shop",
    );
    // Nobody gets the right to read Tenants, which say what others may do.
    expect(stdout).not.toContain("--resource=tenants");
    expect(stdout).toMatch(/Unknown: Lease .*forbidden/);
    expect(stdout).toContain(
      "To know it: Ask an administrator to run: kubectl create role -n muster-system muster-get-leases-muster-operator --verb=get --resource=leases.coordination.k8s.io --resource-name=muster-operator && kubectl create rolebinding -n muster-system muster-get-leases-muster-operator --role=muster-get-leases-muster-operator --user=",
    );
    expect(stdout.match(/Unknown: /g)).toHaveLength(stdout.match(/To know it: /g)?.length ?? 0);
  });

  it("prints the commands of fixes in Markdown as code, which changes no character of them", async () => {
    cluster.put("groups", object("Group", "web", { reason: "ReferenceNotReady", spec: { parentRef: { name: "up" } } }));
    cluster.forbidden.add("namespaces/shop/groups/up");
    const { stdout } = await why("shop/Group/web", "-o", "markdown");
    expect(stdout).toMatch(/^- To know it: Ask an administrator to run: ` kubectl [^`]* --user=ana@example\.com `$/m);
    cluster.put("groups", object("Group", "web", { reason: "HeldByBreaker", spec: { parentUid: root } }));
    cluster.put(
      "tenants",
      tenant("shop", { reason: "HeldByBreaker" }, { breakers: [{ kind: "Group", id: "g", missing: 30 }] }),
    );
    expect((await why("shop/Group/web", "-o", "markdown")).stdout).toMatch(/^- Fix: .* ` kubectl annotate [^`]*=g `$/m);
  });

  it.each([
    ["no Tenant selects the namespace", [], "Tenants of namespace shop NoTenant"],
    ["several Tenants do", ["one", "two"], "Tenants of namespace shop Overlap"],
  ])("names the Tenants if %s", async (_, names, cause) => {
    cluster.clear();
    cluster.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    cluster.put("leases", lease(led));
    cluster.put("tenants", ...names.map((name) => tenant(name, {})));
    cluster.put("groups", object("Group", "web", { reason: cause.split(" ").at(-1) ?? "", spec: { parentUid: root } }));
    expect(await causes("shop/Group/web")).toEqual([cause]);
  });

  it.each([
    ["was released", { holderIdentity: "" }, "No operator leads: the last one stopped."],
    ["has expired", { ...led, renewTime: "2020-01-01T00:00:00.000000Z" }, "pod-1 has not renewed the Lease since 2020"],
  ])("says first that nobody leads, if the Lease %s", async (_, spec, message) => {
    cluster.put("leases", lease(spec));
    cluster.put("groups", object("Group", "web", { spec: { parentUid: root } }));
    const { causes: found } = await answer("shop/Group/web");
    expect(found[0]).toMatchObject({ link: "leader", message: expect.stringContaining(message) });
  });

  it("does not trust a status of an earlier generation", async () => {
    cluster.put("groups", object("Group", "web", { reason: "Available", generation: 2, spec: { parentUid: root } }));
    const { code, stdout } = await why("shop/Group/web");
    expect(code).toBe(3);
    expect(stdout).toContain("The operator has not seen the last change");
  });

  it("prints the last events of the object", async () => {
    const event = (name: string, eventTime: string, uid: string) => ({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { namespace: "shop", name },
      eventTime,
      type: "Warning",
      reason: "CreateFailed",
      note: `note ${name}`,
      regarding: { uid },
    });
    cluster.put(
      "events",
      event("old", ago(9_000), "uid-web"),
      event("new", ago(1_000), "uid-web"),
      event("other", ago(0), "uid-x"),
    );
    const { events } = await answer("shop/Group/web");
    expect(events.map(({ note }) => note)).toEqual(["note new", "note old"]);
  });

  it("prints no control character that an event, a status or a reason has", async () => {
    const bad = "x\u001b[2J\u009b31m\u202ey";
    cluster.put("events", {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { namespace: "shop", name: "e" },
      eventTime: bad,
      type: bad,
      reason: bad,
      note: bad,
      regarding: { uid: "uid-web" },
    } as KubeObject);
    const unready = object("Group", "web", { reason: bad, message: bad, uid: bad, spec: { parentUid: root } });
    cluster.put("groups", { ...unready, status: { ...unready.status, tenant: bad } });
    cluster.forbidden.add("tenants");
    const { stdout } = await why("shop/Group/web");
    expect(stdout).toContain("Event: x[2J31my x[2J31my x[2J31my: x[2J31my");
    expect(stdout).toContain("shop/Group/web (x[2J31my)");
    expect(stdout).not.toMatch(/[^\P{C}\n]/u);
    cluster.forbidden.clear();
    cluster.put("tenants", tenant("shop", { reason: bad }, { breakers: [{ kind: bad, id: bad, missing: 1 }] }));
    expect((await why("Tenant/shop")).stdout).not.toMatch(/[^\P{C}\n]/u);
  });

  it("accepts KIND/NAME with --namespace, and prints Markdown", async () => {
    const { stdout } = await why("mgroup/web", "-n", "shop", "-o", "markdown");
    expect(stdout).toContain("**shop/Group/web is Ready.**");
  });

  it.each([
    ["shop/Grop/web", '"Grop" is not a kind of Muster; did you mean "Group"?'],
    ["web", "is not NAMESPACE/KIND/NAME"],
    ["shop/Group/wob", "there is no object shop/Group/wob"],
    ["shup/Group/web", "nor a namespace shup"],
  ])("reports %s", async (name, message) => {
    expect(await why(name)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
  });

  it("only reads, and asks for access reviews", async () => {
    cluster.put("rolebindings", object("RoleBinding", "x", { spec: binding }));
    await why("shop/RoleBinding/x");
    const methods = new Set(cluster.calls.map((call) => call.replace(/^GET .*/, "GET")));
    expect([...methods].toSorted()).toEqual(["GET", "POST /apis/authorization.k8s.io/v1/subjectaccessreviews"]);
  });

  it("prints no secret that a message of another machine contains", async () => {
    const message = "sent Bearer abcdefghijkl and \u001b[31m eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln";
    cluster.put("groups", object("Group", "web", { reason: "InvalidSpec", message, spec: { parentUid: root } }));
    const { stdout } = await why("shop/Group/web");
    for (const part of ["abcdefghijkl", "eyJ", "\u001b"]) expect(stdout).not.toContain(part);
  });
});
