import { describe, expect, it } from "vitest";
import { creationBody, differencesOf } from "./differences.ts";
import { withMarker } from "#src/kinds/marker.ts";
import {
  bindingResource,
  earlierMarker,
  groupResource,
  externalGroup,
  marker,
  decisionInput,
  ready,
} from "./observed-fixture.testing.ts";

const described = (text: string, by = marker) => externalGroup({ description: withMarker(text, by) });

describe("the managed fields", () => {
  it.each([
    ["leave an absent description unchanged", { name: "payments" }, described("by hand"), undefined],
    [
      "clear a description that is empty in the spec",
      { name: "payments", description: "" },
      described("by hand"),
      ["description"],
    ],
    ["include a name that differs", { name: "billing" }, described("by hand"), ["name"]],
    [
      "include both if both differ",
      { name: "billing", description: "x" },
      described("by hand"),
      ["name", "description"],
    ],
    [
      "need no update if nothing differs",
      { name: "payments", description: "by hand" },
      described("by hand"),
      undefined,
    ],
    ["do not include the marker", { name: "payments", description: "" }, described(""), undefined],
  ])("%s", (_, desired, external, mask) => {
    expect(differencesOf(decisionInput(), desired, external)?.mask).toEqual(mask);
  });
});

describe("the marker", () => {
  it("is kept by an update of the description", () => {
    expect(differencesOf(decisionInput(), { name: "payments", description: "new" }, described("old"))?.body).toEqual({
      description: withMarker("new", marker),
    });
  });

  it("of a previous owner id is kept", () => {
    const external = described("old", earlierMarker);
    expect(differencesOf(decisionInput(), { name: "payments" }, external)).toBeUndefined();
    expect(differencesOf(decisionInput(), { name: "payments", description: "new" }, external)?.body).toEqual({
      description: withMarker("new", earlierMarker),
    });
  });

  it("is restored on a resource that we created, without a change of the text", () => {
    expect(differencesOf(decisionInput(), { name: "payments" }, externalGroup({ description: "by hand" }))).toEqual({
      body: { description: withMarker("by hand", marker) },
      mask: ["description"],
      drift: [{ field: "description", expected: "by hand", actual: "by hand (without Muster's marker)" }],
    });
  });

  it("is not restored if it does not fit", () => {
    expect(
      differencesOf(decisionInput(), { name: "payments" }, externalGroup({ description: "x".repeat(478) })),
    ).toBeUndefined();
  });

  it("is added to an adopted resource, together with what differs, and says that it was adopted", () => {
    const given = decisionInput({ resource: groupResource({ status: { ...ready, management: "Adopted" } }) });
    const byHand = externalGroup({ description: "by hand" });
    expect(differencesOf(given, { name: "payments" }, byHand)?.body).toEqual({
      description: withMarker("by hand", marker, true),
    });
    expect(differencesOf(given, { name: "payments", description: "new" }, byHand)?.body).toEqual({
      description: withMarker("new", marker, true),
    });
  });

  it("says again how the resource was managed first if somebody changed that", () => {
    const given = decisionInput({ resource: groupResource({ status: ready }) });
    const forged = externalGroup({ description: withMarker("", marker, true) });
    expect(differencesOf(given, { name: "payments" }, forged)?.body).toEqual({ description: withMarker("", marker) });
  });

  it("is at the end of a created description; a role binding has none", () => {
    expect(creationBody(decisionInput(), { name: "payments" })).toEqual({
      name: "payments",
      description: `[muster:${marker}]`,
    });
    const desired = { identityUid: "i", roleUid: "r" };
    expect(creationBody(decisionInput({ resource: bindingResource() }), desired)).toEqual(desired);
    const without = { ...desired, absent: null };
    expect(creationBody(decisionInput({ resource: bindingResource() }), without)).toEqual(desired);
  });
});
