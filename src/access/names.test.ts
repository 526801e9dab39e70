import { describe, expect, it } from "vitest";
import { accessModel } from "./access-model.ts";
import { accessState, shop, web } from "./access-state.testing.ts";
import { dottedCapability, findCapability } from "./capability-name.ts";
import { findByName } from "./find-by-name.ts";
import { groupPath } from "./group-path.ts";

describe("findCapability", () => {
  const known = ["CAP_IAM_ROLE_BINDINGS_LIST", "CAP_REPO_CREATE", "70000"];
  it.each([
    ["CAP_REPO_CREATE", "CAP_REPO_CREATE"],
    ["REPO_CREATE", "CAP_REPO_CREATE"],
    ["repo.create", "CAP_REPO_CREATE"],
    ["Repo.Create", "CAP_REPO_CREATE"],
    ["role_bindings.list", "CAP_IAM_ROLE_BINDINGS_LIST"],
    ["IAM_ROLE_BINDINGS_LIST", "CAP_IAM_ROLE_BINDINGS_LIST"],
    ["70000", "70000"],
    ["repo.delete", undefined],
    ["create", undefined],
    ["", undefined],
  ])("understands %s", (text, capability) => expect(findCapability(text, known)).toBe(capability));

  it("prints a capability that the platform does not know as its number", () => {
    expect(known.map(dottedCapability)).toEqual(["role_bindings.list", "repo.create", "70000"]);
  });
});

describe("findByName", () => {
  const candidates = ["acme", "acme/shop", "acme/shop/web", "acme/other/web", "acme/shop/acme"].map((path, uid) => ({
    uid: String(uid),
    path,
  }));
  it.each([
    ["a uid", "2", ["acme/shop/web"]],
    ["a name", "shop", ["acme/shop"]],
    ["a path, before names that are equal to it", "acme", ["acme"]],
    ["the end of a path", "shop/web", ["acme/shop/web"]],
    ["a name that is not unique", "web", ["acme/shop/web", "acme/other/web"]],
    ["the end of a name", "eb", []],
  ])("finds %s", (_, text, paths) => {
    expect(findByName(text, candidates).map(({ path }) => path)).toEqual(paths);
  });
});

it("shows a group that cannot be read as …, and the uid if none of the path can", () => {
  const model = accessModel(accessState({ groups: [{ uid: web, name: "web" }], seesEverything: false }));
  expect([groupPath(model, web), groupPath(model, shop)]).toEqual(["…/…/web", shop]);
});
