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
    "is put behind %j and taken away again",
    (description) => {
      const marked = withMarker(description, marker);
      expect(markerIn(marked)).toBe(marker);
      expect(withoutMarker(marked)).toBe(description);
    },
  );

  it("takes 35 characters, so that 477 are left for people", () => {
    expect(withMarker("x".repeat(477), marker)).toHaveLength(maxDescriptionLength);
  });

  it("differs by owner, kind, namespace and name, and by nothing else", () => {
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

  it("is read only at the very end", () => {
    expect(markerIn(`[muster:${marker}] and more`)).toBeUndefined();
  });
});
