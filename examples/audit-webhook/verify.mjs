import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Whether the platform has sent a request, at most 5 minutes ago.
 * @param {string} header Muster-Signature
 * @param {Buffer} body the bytes of the request, before anything parses them
 * @param {string} secret
 */
export function isFromPlatform(header, body, secret) {
  const parts = header.split(",").map((part) => part.split("="));
  const time = parts.find(([name]) => name === "t")?.[1];
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false;
  const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
  return parts.some(([name, value = ""]) => {
    const given = Buffer.from(value, "hex");
    return name === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
