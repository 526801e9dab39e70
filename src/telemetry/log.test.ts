import { beforeEach, describe, expect, test } from "vitest";
import { createLog, type Logger } from "./log.ts";

const jwt = "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL2t1YmUifQ.c2lnbmF0dXJl-_x";

let written: string;
let log: Logger;
beforeEach(() => {
  written = "";
  log = createLog({
    level: "info",
    fields: { component: "test" },
    destination: { write: (line) => (written += line) },
  });
});

const writtenLine = () => JSON.parse(written) as Record<string, unknown>;

test("a line is one JSON object: time, level by name, message and fields", () => {
  log.info({ key: "ns/a" }, "reconciled");
  expect(writtenLine()).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    level: "info",
    component: "test",
    msg: "reconciled",
    key: "ns/a",
  });
  expect(written.endsWith("\n")).toBe(true);
});

test("omits lines below the level", () => {
  log.debug("detail");
  expect(written).toBe("");
});

describe("redacts a secret", () => {
  const cases: readonly (readonly [string, () => void])[] = [
    ["in a field", () => log.info({ response: jwt }, "x")],
    ["deep in a field", () => log.info({ a: { b: [{ c: `got ${jwt}!` }] } }, "x")],
    ["in the message", () => log.info(`got ${jwt}`)],
    ["truncated", () => log.info({ response: jwt.slice(0, 60) }, "x")],
    ["in a header", () => log.info({ headers: { Authorization: `Bearer ${jwt}` } }, "x")],
    ["an opaque one in a header", () => log.info({ headers: { authorization: "Bearer c2lnbmF0dXJl-_x" } }, "x")],
    ["in a list of headers", () => log.info({ headers: ["authorization", "bearer c2lnbmF0dXJl-_x"] }, "x")],
    [
      "in a field whose name says so",
      () => log.info({ access_token: "c2lnbmF0dXJl-_x", refreshToken: "c2lnbmF0dXJl-_x" }, "x"),
    ],
    ["that contains quotes", () => log.info({ password: 'a"c2lnbmF0dXJl-_x' }, "x")],
    ["in an error", () => log.error({ err: new Error(`refused ${jwt}`) }, "x")],
    ["in a cause", () => log.error({ err: new Error("x", { cause: new Error(jwt) }) }, "x")],
    ["in a property of an error", () => log.error({ err: Object.assign(new Error("x"), { body: jwt }) }, "x")],
    ["in the name of a field", () => log.info({ [jwt]: 1 }, "x")],
    ["in a child's fields", () => log.child({ session: jwt }).info("x")],
    [
      "in a URL",
      () => log.error({ err: new Error("no route through http://proxy:c2lnbmF0dXJl-_x@proxy.example:3128") }, "x"),
    ],
    [
      "a private key",
      () => log.info({ pem: "-----BEGIN PRIVATE KEY-----\nc2lnbmF0dXJl-_x\n-----END PRIVATE KEY-----" }, "x"),
    ],
  ];

  test.each(cases)("%s", (_, write) => {
    write();
    expect(written).not.toContain("c2lnbmF0dXJl-_x");
    expect(written).not.toContain("eyJ");
    expect(written).toContain("[redacted]");
    expect(() => writtenLine()).not.toThrow();
  });

  test("keeps what only resembles a secret", () => {
    const fields = {
      key: "ns/a",
      tokenFile: "/var/run/secrets/muster/token",
      tokens: 3,
      reason: "TokenUnavailable",
      url: "https://example.com/a@b",
    };
    log.info(fields, "the token of the operator is renewed");
    expect(writtenLine()).toMatchObject({ ...fields, msg: "the token of the operator is renewed" });
  });
});

describe("errors", () => {
  test("keep name, message, stack, strings and numbers, and causes", () => {
    const cause = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" });
    log.error({ err: Object.assign(new TypeError("no response", { cause }), { request: { body: "big" } }) }, "failed");
    expect(writtenLine().err).toEqual({
      name: "TypeError",
      message: "no response",
      stack: expect.stringContaining("log.test.ts"),
      cause: { name: "Error", message: "connect refused", code: "ECONNREFUSED" },
    });
  });

  test("a thrown value that is not an Error is logged too", () => {
    log.error({ err: { odd: 1 } }, "failed");
    expect(writtenLine().err).toEqual({ name: "object", message: '{"odd":1}' });
  });

  test("a cycle of causes ends", () => {
    const error = new Error("a");
    error.cause = error;
    log.error({ err: error }, "failed");
    expect(writtenLine().err).toMatchObject({ message: "a", cause: { message: "a" } });
  });
});
