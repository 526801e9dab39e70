import { describe, expect, it } from "vitest";
import {
  markerIn,
  markerOf,
  objectHash,
  maxDescriptionLength,
  ownerHash,
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

  it("is recognized only at the end", () => {
    expect(markerIn(`[muster:${marker}] and more`)).toBeUndefined();
  });
});
