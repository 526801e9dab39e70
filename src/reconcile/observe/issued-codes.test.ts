import { describe, expect, it } from "vitest";
import type { KubeApi } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { IssuedCodes } from "./issued-codes.ts";
import { SecretReads } from "./secret-reads.ts";

const at = { namespace: "team", name: "invite", key: "code" };
const version = { uid: "u", resourceVersion: "7" };
const invite = `${"a".repeat(40)}/1111111111111111`;
const code = "planted-code";
const { signal } = new AbortController();
const base64 = (text: string) => Buffer.from(text).toString("base64");
const failure = (status: number, message = "no") =>
  new KubeError({ call: "patch secrets", code: status, reason: "Test" }, message);

/** @param onPatch is called instead of the write; what it returns is the error, if there is one. */
function start(onPatch: (write: () => void) => Error | undefined) {
  const secret = { metadata: { ...version }, data: {} as object, exists: true };
  const bodies: object[] = [];
  const kube = {
    get: async () => {
      if (!secret.exists) throw failure(404);
      return structuredClone(secret);
    },
    patch: async (_resource: unknown, _namespace: string, _name: string, body: { data: object }) => {
      bodies.push(body);
      const error = onPatch(() => {
        secret.data = body.data;
        secret.metadata.resourceVersion = "8";
      });
      if (error !== undefined) throw error;
    },
  } as unknown as Pick<KubeApi, "get" | "patch">;
  const reads = new SecretReads(kube, new ManualClock());
  const codes = new IssuedCodes(kube, reads);
  codes.keep(invite, code);
  return { codes, reads, bodies, secret };
}

const accepted = (write: () => void) => {
  write();
  return undefined;
};

describe("write", () => {
  it("writes code and uid in one write of this version, and forgets the code", async () => {
    const { codes, reads, bodies } = start(accepted);
    expect(await codes.write(at, version, invite, signal)).toBe(true);
    expect(bodies).toEqual([{ metadata: version, data: { code: base64(code), uid: base64(invite) } }]);
    expect(reads.lastRead(at)).toMatchObject({ is: "found", resourceVersion: "8", issuedUid: invite, isEmpty: false });
    expect(JSON.stringify(reads.lastRead(at))).not.toContain("planted");
    expect(await codes.write(at, version, invite, signal)).toBe(false);
  });

  it("is true after a conflict if an earlier write, whose response was lost, took effect", async () => {
    let count = 0;
    const { codes } = start((write) => {
      if ((count += 1) > 1) return failure(409);
      write();
      return failure(0);
    });
    await expect(codes.write(at, version, invite, signal)).rejects.toThrow(KubeError);
    expect(await codes.write(at, version, invite, signal)).toBe(true);
  });

  it.each([409, 404])("is false after %i, and the code is forgotten", async (status) => {
    const { codes, bodies } = start(() => failure(status));
    expect(await codes.write(at, version, invite, signal)).toBe(false);
    expect(await codes.write(at, version, invite, signal)).toBe(false);
    expect(bodies).toHaveLength(1);
  });

  it.each([403, 422, 500])("fails with an error that does not repeat the code: %i", async (status) => {
    const { codes } = start(() => failure(status, `data: Invalid value: "${code}" (${base64(code)})`));
    const error = await codes.write(at, version, invite, signal).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: status,
      message: 'patch secrets: data: Invalid value: "[redacted]" ([redacted])',
    });
    expect((error as Error).stack).not.toContain("planted");
  });
});

describe("a code", () => {
  const written = async (codes: IssuedCodes, uid = invite) => codes.write(at, version, uid, signal);

  it("is forgotten with its resource, and no other", async () => {
    const { codes, bodies } = start(accepted);
    codes.keep("another", "code");
    codes.forget("another");
    expect(await written(codes, "another")).toBe(false);
    expect(bodies).toEqual([]);
    expect(await written(codes)).toBe(true);
  });

  it("is the oldest that is forgotten when a thousand wait", async () => {
    const { codes } = start(accepted);
    const uids = Array.from({ length: 1_000 }, (_, index) => `${"a".repeat(40)}/${String(index).padStart(16, "0")}`);
    for (const uid of uids) codes.keep(uid, "code");
    expect(await written(codes)).toBe(false);
    expect(await written(codes, uids[0])).toBe(true);
    expect(await written(codes, uids[999])).toBe(true);
  });

  it.each([
    [403, 422, false],
    [500, 503, true],
  ])("is kept for another attempt only if the write was not refused for good: %i, %i", async (one, other, isKept) => {
    for (const status of [one, other]) {
      const { codes, bodies } = start(() => failure(status));
      await expect(written(codes)).rejects.toThrow(KubeError);
      await written(codes).catch(() => undefined);
      expect(bodies).toHaveLength(isKept ? 2 : 1);
    }
  });

  it("is not in the Secret if that names another resource, or was deleted", async () => {
    const { codes, secret } = start(() => undefined);
    secret.data = { code: base64("other"), uid: base64("another") };
    expect(await written(codes)).toBe(false);
    codes.keep(invite, code);
    secret.exists = false;
    expect(await written(codes)).toBe(false);
  });

  it("leaves an error that is not of Kubernetes, and the delay that Kubernetes asks for, as they are", async () => {
    const broken = new TypeError("broken");
    await expect(written(start(() => broken).codes)).rejects.toBe(broken);
    const delayed = new KubeError({ call: "patch secrets", code: 429, reason: "Test", retryAfterMs: 7_000 }, "no");
    await expect(written(start(() => delayed).codes)).rejects.toMatchObject({ retryAfterMs: 7_000 });
    const undelayed = await written(start(() => failure(500)).codes).catch((error: unknown) => error);
    expect(undelayed).toMatchObject({ retryAfterMs: undefined });
  });
});

describe("check", () => {
  it("fails with what else Kubernetes says", async () => {
    const { codes } = start(() => failure(403));
    await expect(codes.check(at, version, signal)).rejects.toMatchObject({ code: 403 });
  });

  it("reads a Secret again that does not exist any longer", async () => {
    const { codes, reads, secret } = start(() => failure(404));
    await reads.read(at, signal);
    secret.exists = false;
    await codes.check(at, version, signal);
    expect(reads.lastRead(at)).toMatchObject({ is: "missing", writable: false });
  });

  it("is a dry run without the code", async () => {
    const { codes, reads, bodies } = start(() => undefined);
    await reads.read(at, signal);
    await codes.check(at, version, signal);
    expect(JSON.stringify(bodies)).not.toContain(base64(code));
    expect(reads.lastRead(at)).toMatchObject({ writable: true });
  });

  it("reads a Secret again that is at another version", async () => {
    const { codes, reads } = start(() => failure(409));
    await codes.check(at, version, signal);
    expect(reads.lastRead(at)).toMatchObject({ is: "found", writable: false });
  });

  it.each([
    ["that does not exist is not read again", 404, { is: "missing", writable: true }],
    ["that exists by now is", undefined, { is: "found", writable: false }],
  ] as const)("of a Secret %s", async (_, status, expected) => {
    const { codes, reads, secret, bodies } = start(() => (status === undefined ? undefined : failure(status)));
    secret.exists = false;
    await reads.read(at, signal);
    secret.exists = true;
    await codes.check(at, null, signal);
    expect(reads.lastRead(at)).toMatchObject(expected);
    expect(bodies).toMatchObject([{ metadata: {} }]);
  });
});
