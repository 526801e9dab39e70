import { expect, it } from "vitest";
import { grantCommands, refusedUser, rightsText, rightText } from "./right.ts";

const tenants = { verb: "list", group: "iam.muster.dev", resource: "tenants" };
const lease = { verb: "get", group: "coordination.k8s.io", resource: "leases", name: "muster", namespace: "ops" };

it("writes a right as people do", () => {
  expect(rightText({ ...tenants, subresource: "status" })).toBe("list tenants.iam.muster.dev/status");
  expect(rightText(lease)).toBe("get leases.coordination.k8s.io muster in ops");
});

it("writes many rights by what they are for, each verb once", () => {
  const rights = ["groups", "tenants"].flatMap((resource) => [
    ...["get", "list"].map((verb) => ({ verb, group: "g", resource })),
    { verb: "patch", group: "g", resource, subresource: "status" },
  ]);
  expect(rightsText(rights)).toBe("get, list groups.g, tenants.g; patch groups.g/status, tenants.g/status");
  expect(rightsText([lease, { ...lease, name: "other" }, { ...lease, verb: "create" }])).toBe(
    "get, create leases.coordination.k8s.io muster in ops; get leases.coordination.k8s.io other in ops",
  );
  expect(rightsText([])).toBe("");
});

it("writes the commands that grant a right in the cluster, or in one namespace", () => {
  expect(grantCommands(tenants, "reader", "ana@example.com")).toBe(
    "kubectl create clusterrole reader --verb=list --resource=tenants.iam.muster.dev && kubectl create clusterrolebinding reader --clusterrole=reader --user=ana@example.com",
  );
  expect(grantCommands(lease, "reader", "system:serviceaccount:ops:bot")).toBe(
    "kubectl create role -n ops reader --verb=get --resource=leases.coordination.k8s.io --resource-name=muster && kubectl create rolebinding -n ops reader --role=reader --serviceaccount=ops:bot",
  );
});

it("repeats the flag for each of several names", () => {
  expect(grantCommands({ ...lease, name: "a,b" }, "reader", "ana")).toContain(
    " --resource-name=a --resource-name=b && ",
  );
});

it("quotes what a shell would take for more", () => {
  expect(grantCommands({ ...lease, name: "$(x)", namespace: ";" }, "get-$(x)", "ana")).toBe(
    "kubectl create role -n ';' 'get-$(x)' --verb=get --resource=leases.coordination.k8s.io --resource-name='$(x)' && kubectl create rolebinding -n ';' 'get-$(x)' --role='get-$(x)' --user=ana",
  );
  expect(grantCommands(tenants, "reader", "it's me; rm -rf /")).toMatch(/ --user='it'\\''s me; rm -rf \/'$/);
});

it("finds the user in a refusal", () => {
  expect(refusedUser('tenants is forbidden: User "ana" cannot list resource "tenants"')).toBe("ana");
  expect(refusedUser("denied by a webhook")).toBeUndefined();
});
