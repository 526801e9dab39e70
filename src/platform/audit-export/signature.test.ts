import { expect, it } from "vitest";
import { signatureOf } from "./signature.ts";

interface Example {
  readonly isFromPlatform: (header: string, body: Buffer, secret: string) => boolean;
}

it("is verified by the example of the documentation, with either secret, and not after a change or 5 minutes", async () => {
  const url = new URL("../../../examples/audit-webhook/verify.mjs", import.meta.url);
  const { isFromPlatform } = (await import(url.href)) as Example;
  const now = Math.floor(Date.now() / 1_000);
  const [body, bytes] = ['{"id":"1"}\n', Buffer.from('{"id":"1"}\n')];
  const header = signatureOf(["old", "new"], now, body);
  for (const secret of ["old", "new"]) expect(isFromPlatform(header, bytes, secret)).toBe(true);
  expect(isFromPlatform(header, bytes, "other")).toBe(false);
  expect(isFromPlatform(header, Buffer.from('{"id":"2"}\n'), "new")).toBe(false);
  expect(isFromPlatform(header.replace(/^t=\d+/, `t=${now + 1}`), bytes, "new")).toBe(false);
  expect(isFromPlatform(signatureOf(["new"], now - 301, body), bytes, "new")).toBe(false);
  for (const malformed of ["", "t=x,v1=", `t=${now}`, `t=${now},v1=zz`])
    expect(isFromPlatform(malformed, bytes, "new")).toBe(false);
});
