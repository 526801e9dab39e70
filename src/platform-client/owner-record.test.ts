import { describe, expect, it } from "vitest";
import { ownerOf, recordedOwner, withRecordedOwner } from "./owner-record.ts";

describe("the recorded owner", () => {
  it.each(["", "the operator of the shop", "ends with a bracket ]"])("is added to %j and removed again", (text) => {
    const recorded = withRecordedOwner(text, "cluster-1");
    expect(recordedOwner(recorded)).toBe("cluster-1");
    expect(withRecordedOwner(recorded, undefined)).toBe(text);
  });

  it("is replaced, so that there is only one", () => {
    const recorded = withRecordedOwner(withRecordedOwner("muster", "cluster-1"), "cluster-2");
    expect(recorded).toBe("muster [muster-owner:cluster-2]");
  });

  it("is absent in a description that records none", () => {
    expect(recordedOwner("[muster:12345678-1234567890abcdef]")).toBeUndefined();
  });

  it("includes the class of the operator", () => {
    expect(ownerOf("cluster-1", "test")).toBe("cluster-1/test");
    expect(recordedOwner(withRecordedOwner("", ownerOf("cluster-1", "test")))).toBe("cluster-1/test");
  });
});
