import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(() => platform.stop());

describe("A missing or invalid token is reported (16) before anything in the request is judged", () => {
  it.each([
    ["an unknown field", "POST", "groups/PARENT", { dragons: 1 }],
    ["a body that is not JSON", "POST", "groups/PARENT", "{"],
    ["a body that is too large", "POST", "groups/PARENT", { name: "x".repeat(1024 * 1024) }],
    ["an unknown parameter", "GET", "groups?dragons=1", undefined],
    ["an invalid value of a parameter", "GET", "groups?page_size=x", undefined],
    ["an invalid field mask", "PATCH", "groups/PARENT?updateMask=dragons", {}],
    ["a malformed uid", "DELETE", "groups/nonsense", undefined],
  ])("with %s", async (_, method, path, body) => {
    for (const token of [undefined, "nonsense"]) {
      const response = await platform
        .as(token)
        .send(method, `/iam/v2beta1/${path.replace("PARENT", platform.root)}`, body);
      expect(response).toMatchObject({ status: 401, body: { code: 16 } });
    }
  });

  it.each(["/sts/exchange?dragons=1", "/sts/exchange_refresh_token?aud=x&aud=y&cap=dragons"])(
    "in a token exchange: %s",
    async (path) => {
      const method = path.includes("refresh") ? "POST" : "GET";
      expect(await platform.as(undefined).send(method, path)).toMatchObject({ status: 401, body: { code: 16 } });
    },
  );
});

describe("The response of a successful DELETE", () => {
  it("has neither a body nor a content type", async () => {
    const uid = await platform.admin.group(platform.root, "to delete");
    const { status, text, headers } = await platform.admin.delete(`/iam/v2beta1/groups/${uid}`);
    expect({ status, text, type: headers.get("content-type"), length: headers.get("content-length") }).toEqual({
      status: 200,
      text: "",
      type: null,
      length: "0",
    });
  });

  it("is an empty JSON object if the platform is configured to", async () => {
    const separate = await RunningPlatform.start({ deleteResponse: "object" });
    const uid = await separate.admin.group(separate.root, "to delete");
    const { text, headers } = await separate.admin.delete(`/iam/v2beta1/groups/${uid}`);
    expect({ text, type: headers.get("content-type") }).toEqual({ text: "{}", type: "application/json" });
    await separate.stop();
  });
});
