import { expect, it, vi } from "vitest";
import { onDemand } from "./on-demand.ts";

it("loads once, and again only after a failure", async () => {
  const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error("EMFILE")).mockResolvedValue("loaded");
  const loaded = onDemand(load);
  expect(load).not.toHaveBeenCalled();
  await expect(loaded()).rejects.toThrowError("EMFILE");
  expect(await Promise.all([loaded(), loaded()])).toEqual(["loaded", "loaded"]);
  expect(await loaded()).toBe("loaded");
  expect(load).toHaveBeenCalledTimes(2);
});
