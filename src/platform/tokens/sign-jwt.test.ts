import { generateKeyPairSync } from "node:crypto";
import { jwtVerify } from "jose";
import { expect, it } from "vitest";
import { signJwt } from "./sign-jwt.ts";

it("signs what jose verifies, with every character of the claims", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  for (let time = 0; time < 50; time += 1) {
    const token = signJwt({ kid: "k", typ: "JWT" }, { sub: `é€😀 ${time}`, aud: ["a", "b"] }, privateKey);
    const { payload, protectedHeader } = await jwtVerify(token, publicKey, { algorithms: ["ES256"], typ: "JWT" });
    expect(payload).toEqual({ sub: `é€😀 ${time}`, aud: ["a", "b"] });
    expect(protectedHeader).toEqual({ alg: "ES256", kid: "k", typ: "JWT" });
  }
});
