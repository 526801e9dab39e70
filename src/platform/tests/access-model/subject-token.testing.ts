import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { now } from "./settings.testing.ts";

const { publicKey, privateKey } = await generateKeyPair("ES256");
const issued = now / 1_000;

/** The static keys of every identity of a world: all have the same issuer and subject. */
export const assumption = {
  issuer: "https://issuer.example.com",
  subject: "somebody",
  issuerKeys: JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "1", alg: "ES256" }] }),
  audiences: ["platform.example.com"],
};

/** The subject token of every identity. */
export const subjectToken = await new SignJWT({ iat: issued, exp: issued + 600 })
  .setProtectedHeader({ alg: "ES256", kid: "1" })
  .setIssuer(assumption.issuer)
  .setSubject(assumption.subject)
  .setAudience(assumption.audiences)
  .sign(privateKey);
