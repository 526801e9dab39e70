import { describe, expect, it } from "vitest";
import { creationBody, differencesOf } from "./differences.ts";
import { withMarker } from "#src/kinds/marker.ts";
import {
  bindingResource,
  earlierMarker,
  groupResource,
  groupRow,
  marker,
  observed,
  uid,
} from "./observed-fixture.testing.ts";

const described = (text: string, by = marker) => groupRow({ description: withMarker(text, by) });
const adopting = groupResource({ spec: { policy: { adoption: "IfExists" } } });

describe("only fields that the user set are managed", () => {
  it.each([
    ["an absent description is left alone", { name: "payments" }, described("by hand"), undefined],
    ["an empty description clears it", { name: "payments", description: "" }, described("by hand"), ["description"]],
    ["a name differs", { name: "billing" }, described("by hand"), ["name"]],
    ["both differ", { name: "billing", description: "x" }, described("by hand"), ["name", "description"]],
    ["nothing differs", { name: "payments", description: "by hand" }, described("by hand"), undefined],
    ["the marker is no part of a description", { name: "payments", description: "" }, described(""), undefined],
  ])("%s", (_, desired, row, mask) => {
    expect(differencesOf(observed(), desired, row)?.mask).toEqual(mask);
  });
});

describe("the marker", () => {
  it("is kept by what is written", () => {
    expect(differencesOf(observed(), { name: "payments", description: "new" }, described("old"))?.body).toEqual({
      description: withMarker("new", marker),
    });
  });

  it("of an earlier owner is kept as it is", () => {
    const row = described("old", earlierMarker);
    expect(differencesOf(observed(), { name: "payments" }, row)).toBeUndefined();
    expect(differencesOf(observed(), { name: "payments", description: "new" }, row)?.body).toEqual({
      description: withMarker("new", earlierMarker),
    });
  });

  it("is put back on what we made, and the text of another hand is kept", () => {
    expect(differencesOf(observed(), { name: "payments" }, groupRow({ description: "by hand" }))).toEqual({
      body: { description: withMarker("by hand", marker) },
      mask: ["description"],
      drift: [{ field: "description", expected: "by hand", actual: "by hand (without Muster's marker)" }],
    });
  });

  it("is not put back where it does not fit", () => {
    expect(differencesOf(observed(), { name: "payments" }, groupRow({ description: "x".repeat(478) }))).toBeUndefined();
  });

  it.each([
    ["by policy", adopting],
    ["by spec.uid", groupResource({ spec: { uid } })],
  ])("is never put on what was adopted %s", (_, resource) => {
    const given = observed({ resource });
    expect(differencesOf(given, { name: "payments" }, groupRow({ description: "by hand" }))).toBeUndefined();
  });

  it("comes onto what was adopted with a description that has to be written anyway", () => {
    const differences = differencesOf(
      observed({ resource: adopting }),
      { name: "payments", description: "new" },
      groupRow({ description: "by hand" }),
    );
    expect(differences?.body).toEqual({ description: withMarker("new", marker) });
  });

  it("stands at the end of the description that is created, and on no role binding", () => {
    expect(creationBody(observed(), { name: "payments" })).toEqual({
      name: "payments",
      description: `[muster:${marker}]`,
    });
    const desired = { identityUid: "i", roleUid: "r" };
    expect(creationBody(observed({ resource: bindingResource() }), desired)).toEqual(desired);
  });
});
