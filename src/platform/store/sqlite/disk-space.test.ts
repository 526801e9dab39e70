import { describe, expect, it } from "vitest";
import { type DiskEvent, DiskFullError, DiskSpace } from "./disk-space.ts";

/** A disk with a reserve of which a test says whether it has space for it. */
function setUp(hasSpace: boolean) {
  const disk = { hasSpace, time: 0, tries: 0, isComplete: false };
  const events: DiskEvent[] = [];
  const reserve = {
    fill: () => {
      disk.tries += 1;
      return (disk.isComplete = disk.hasSpace);
    },
    release: () => {
      disk.isComplete = false;
    },
  };
  const space = new DiskSpace(
    reserve,
    () => disk.time,
    (event) => events.push(event),
  );
  return { disk, events, space };
}

describe("DiskSpace", () => {
  it("says nothing while the reserve is complete", () => {
    const { events, disk, space } = setUp(true);
    disk.time = 3_600_000;
    space.requireSpace();
    expect([events, disk.tries]).toEqual([[], 1]);
  });

  it("reports a reserve without space at the start, and admits writes", () => {
    const { events, space } = setUp(false);
    expect(events).toEqual(["no space for the reserve"]);
    space.requireSpace();
  });

  it("fills the reserve within a minute of writes after there is space, and reports that", () => {
    const { disk, events, space } = setUp(false);
    disk.time = 59_999;
    space.requireSpace();
    expect(disk.tries).toBe(1);
    disk.time = 60_000;
    space.requireSpace();
    space.requireSpace();
    expect(disk.tries).toBe(2);
    disk.hasSpace = true;
    disk.time = 120_000;
    space.requireSpace();
    disk.time = 180_000;
    space.requireSpace();
    expect([disk.isComplete, disk.tries]).toEqual([true, 3]);
    expect(events).toEqual(["no space for the reserve", "reserve complete"]);
  });

  it("admits only reserved writes on a full disk, until the reserve is complete again", () => {
    const { disk, events, space } = setUp(true);
    expect(space.ranOut()).toBe(true);
    disk.hasSpace = false;
    for (disk.time = 500; disk.time < 3_000; disk.time += 500)
      expect(() => space.requireSpace()).toThrow(DiskFullError);
    disk.hasSpace = true;
    disk.time = 4_000;
    space.requireSpace();
    expect(disk.isComplete).toBe(true);
    expect(events).toEqual(["reserve released", "reserve complete"]);
  });
});
