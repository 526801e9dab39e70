import { describe, expect, it } from "vitest";
import { respondToDocker } from "./docker-credentials.ts";

let exchanges = 0;
const credentials = {
  registries: ["registry.example.com", "mirror.example.com:5000"],
  username: "_token",
  token: () => {
    exchanges += 1;
    return Promise.resolve("secret");
  },
};
const respond = (verb: "get" | "store" | "erase" | "list", input = "") => respondToDocker({ verb, input }, credentials);

describe("respondToDocker", () => {
  it.each([
    "registry.example.com\n",
    "https://registry.example.com",
    "https://Registry.example.com/v1/",
    "mirror.example.com:5000",
  ])("gets the token for %j", async (address) => {
    expect(JSON.parse(await respond("get", address))).toEqual({
      ServerURL: address.trim(),
      Username: "_token",
      Secret: "secret",
    });
  });

  it.each([
    "https://index.docker.io/v1/",
    "mirror.example.com",
    "registry.example.com.evil.example",
    "evil-registry.example.com",
    "",
    "evil.example/registry.example.com",
  ])("has no credentials for %j, and exchanges nothing", async (address) => {
    exchanges = 0;
    await expect(respond("get", address)).rejects.toThrow(/^credentials not found in native keychain$/);
    expect(exchanges).toBe(0);
  });

  it("lists its registries", async () => {
    expect(JSON.parse(await respond("list"))).toEqual({
      "registry.example.com": "_token",
      "mirror.example.com:5000": "_token",
    });
  });

  it("accepts docker logout, and stores nothing", async () => {
    expect(await respond("erase", "registry.example.com")).toBe("");
    await expect(respond("store", '{"Secret":"password"}')).rejects.toThrow(/are not stored.*without docker login$/);
  });
});
