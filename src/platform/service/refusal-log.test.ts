import pino from "pino";
import { expect, it } from "vitest";
import { type ApiError, invalidArgument, notFound, permissionDenied, unauthenticated } from "../errors/api-error.ts";
import { RefusalLog } from "./refusal-log.ts";

function setUp() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const time = { now: 0 };
  const refusals = new RefusalLog(log, () => time.now);
  const refuse = (error: ApiError, operation = "GroupsService/GetGroup") =>
    refusals.record({ operation, error, address: "192.0.2.1", caller: undefined });
  return { lines, time, refuse };
}

it("logs why a call was refused, and to whom, at info", () => {
  const { lines, refuse } = setUp();
  refuse(permissionDenied("groups.list is required"));
  refuse(notFound("group", "x"));
  refuse(invalidArgument("name", "is required"));
  expect(lines).toMatchObject([
    {
      level: 30,
      msg: "call refused",
      operation: "GroupsService/GetGroup",
      code: 7,
      reason: "PERMISSION_DENIED",
      cause: "Permission denied: groups.list is required",
      address: "192.0.2.1",
    },
  ]);
});

it("logs ten refusals of a cause in a minute, and then how many it did not log", () => {
  const { lines, time, refuse } = setUp();
  for (let count = 0; count < 1_000; count++) refuse(unauthenticated("a bearer token is required"));
  expect(lines).toHaveLength(10);
  refuse(permissionDenied("groups.list is required"));
  refuse(unauthenticated("a bearer token is required"), "GroupsService/ListGroups");
  expect(lines).toHaveLength(12);
  time.now = 60_000;
  refuse(unauthenticated("a bearer token is required"));
  refuse(unauthenticated("a bearer token is required"));
  expect(lines.map(({ suppressed }) => suppressed).filter((count) => count !== undefined)).toEqual([990]);
  expect(lines).toHaveLength(14);
});

it("logs what only the host may know, and the refusals of one subject apart from others, up to 200 lines", () => {
  const { lines, refuse } = setUp();
  const about = (subject: string) => {
    const error = permissionDenied("no");
    error.explanation = { subject, fields: { mismatch: "the subject does not match" } };
    return error;
  };
  for (let count = 0; count < 20; count++) refuse(about("a"));
  refuse(about("b"));
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toMatchObject({ mismatch: "the subject does not match", suppressed: 10 });
  for (let count = 0; count < 1_000; count++) refuse(about(`subject ${count}`));
  expect(lines).toHaveLength(200);
});
