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

const last = () => JSON.parse(written) as Record<string, unknown>;

test("a line is one JSON object: time, level by name, message and fields", () => {
  log.info({ key: "ns/a" }, "reconciled");
  expect(last()).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    level: "info",
    component: "test",
    msg: "reconciled",
    key: "ns/a",
  });
  expect(written.endsWith("\n")).toBe(true);
});

test("what is below the level is not written", () => {
  log.debug("detail");
  expect(written).toBe("");
});

describe("no secret gets into a line", () => {
  const cases: readonly (readonly [string, () => void])[] = [
    ["in a field", () => log.info({ answer: jwt }, "x")],
    ["deep in a field", () => log.info({ a: { b: [{ c: `got ${jwt}!` }] } }, "x")],
    ["in the message", () => log.info(`got ${jwt}`)],
    ["cut short", () => log.info({ answer: jwt.slice(0, 60) }, "x")],
    ["in a header", () => log.info({ headers: { Authorization: `Bearer ${jwt}` } }, "x")],
    ["an opaque one in a header", () => log.info({ headers: { authorization: "Bearer c2lnbmF0dXJl-_x" } }, "x")],
    ["in a header list", () => log.info({ headers: ["authorization", "bearer c2lnbmF0dXJl-_x"] }, "x")],
    [
      "by the name of its field",
      () => log.info({ access_token: "c2lnbmF0dXJl-_x", refreshToken: "c2lnbmF0dXJl-_x" }, "x"),
    ],
    ["with quotes in it", () => log.info({ password: 'a"c2lnbmF0dXJl-_x' }, "x")],
    ["in an error", () => log.error({ err: new Error(`refused ${jwt}`) }, "x")],
    ["in a cause", () => log.error({ err: new Error("x", { cause: new Error(jwt) }) }, "x")],
    ["in a property of an error", () => log.error({ err: Object.assign(new Error("x"), { body: jwt }) }, "x")],
    ["in a name of a field", () => log.info({ [jwt]: 1 }, "x")],
    ["in a child's fields", () => log.child({ session: jwt }).info("x")],
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
    expect(() => last()).not.toThrow();
  });

  test("and what is no secret stays", () => {
    const fields = { key: "ns/a", tokenFile: "/var/run/secrets/muster/token", tokens: 3, reason: "TokenUnavailable" };
    log.info(fields, "the token of the operator is renewed");
    expect(last()).toMatchObject({ ...fields, msg: "the token of the operator is renewed" });
  });
});

describe("errors", () => {
  test("keep name, message, stack, plain facts and their causes", () => {
    const cause = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" });
    log.error({ err: Object.assign(new TypeError("no answer", { cause }), { request: { body: "big" } }) }, "failed");
    expect(last().err).toEqual({
      name: "TypeError",
      message: "no answer",
      stack: expect.stringContaining("log.test.ts"),
      cause: { name: "Error", message: "connect refused", code: "ECONNREFUSED" },
    });
  });

  test("what is thrown and no error is shown too", () => {
    log.error({ err: { odd: 1 } }, "failed");
    expect(last().err).toEqual({ name: "object", message: '{"odd":1}' });
  });

  test("a circle of causes ends", () => {
    const error = new Error("a");
    error.cause = error;
    log.error({ err: error }, "failed");
    expect(last().err).toMatchObject({ message: "a", cause: { message: "a" } });
  });
});
