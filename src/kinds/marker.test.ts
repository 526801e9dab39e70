import { describe, expect, it } from "vitest";
import {
  markerIn,
  markerOf,
  objectHash,
  maxDescriptionLength,
  ownerHash,
  saysAdopted,
  withMarker,
  withoutMarker,
} from "./marker.ts";

const marker = markerOf(ownerHash("owner"), objectHash("Group", "team", "payments"));

describe("marker", () => {
  it.each(["", "payments of the shop", "ends with a bracket ]", " [muster:nonsense]"])(
    "is added to %j and removed again",
    (description) => {
      const marked = withMarker(description, marker);
      expect(markerIn(marked)).toBe(marker);
      expect(withoutMarker(marked)).toBe(description);
    },
  );

  it("takes 35 characters and leaves 477", () => {
    expect(withMarker("x".repeat(477), marker)).toHaveLength(maxDescriptionLength);
  });

  it("depends on owner, kind, namespace and name only", () => {
    const others = [
      markerOf(ownerHash("another"), objectHash("Group", "team", "payments")),
      markerOf(ownerHash("owner"), objectHash("Identity", "team", "payments")),
      markerOf(ownerHash("owner"), objectHash("Group", "other", "payments")),
      markerOf(ownerHash("owner"), objectHash("Group", "team", "payment")),
      markerOf(ownerHash("owner"), objectHash("Group", "teampay", "ments")),
    ];
    expect(new Set([marker, ...others]).size).toBe(6);
    expect(markerOf(ownerHash("owner"), objectHash("Group", "team", "payments"))).toBe(marker);
  });

  it("is found and removed wherever it is, because people add text after it", () => {
    const edited = `${withMarker("payments", marker)} of the shop`;
    expect(markerIn(edited)).toBe(marker);
    expect(withoutMarker(edited)).toBe("payments of the shop");
  });

  it("is found in front of text that only begins like one", () => {
    expect(markerIn(`${withMarker("", marker)} [muster:nonsense] [muster:`)).toBe(marker);
  });

  it("that comes last counts if there are several", () => {
    const other = markerOf(ownerHash("another"), objectHash("Group", "team", "payments"));
    expect(markerIn(`${withMarker("", other)} ${withMarker("", marker)}`)).toBe(marker);
  });

  it("of an adopted resource says so, and is otherwise the same", () => {
    const adopted = withMarker("payments", marker, true);
    expect(markerIn(adopted)).toBe(marker);
    expect([saysAdopted(adopted), saysAdopted(withMarker("payments", marker))]).toEqual([true, false]);
    expect(withoutMarker(adopted)).toBe("payments");
  });

  it("differs by the class of the operator", () => {
    expect(ownerHash("owner", "")).toBe(ownerHash("owner"));
    expect(ownerHash("owner", "test")).not.toBe(ownerHash("owner"));
  });
});
