import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseFaultRule } from "../faults/fault-rule.ts";
import { GroupsService } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start({}, { faultInjection: true });
});
afterAll(() => platform.stop());
afterEach(() => platform.admin.delete("/faults"));

const add = (...rules: string[]) => platform.admin.ok("POST", "/faults", { rules });
const rest = {
  create: async (name: string) => (await platform.admin.post(`/iam/v2beta1/groups/${platform.root}`, { name })).body,
};
const grpc = {
  create: (name: string) =>
    createClient(GroupsService, createGrpcTransport({ baseUrl: platform.url })).createGroup(
      { parent: platform.root, group: { name } },
      { headers: { authorization: `Bearer ${platform.admin.token}` } },
    ),
};
const countOf = async (name: string) =>
  (await platform.admin.ok("GET", `/iam/v2beta1/groups?name=${name}`)).groups.length;

describe.each([
  ["REST", rest],
  ["gRPC", grpc],
])("an injected fault over %s", (transport, { create }) => {
  it("returns a code instead of making the call, as many times as its count", async () => {
    await add("method=CreateGroup,code=14,count=1");
    const failed = await Promise.resolve(create(`code ${transport.toLowerCase()}`)).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 14 });
    expect(await countOf(`code ${transport.toLowerCase()}`)).toBe(0);
    expect(await create(`code ${transport.toLowerCase()}`)).toMatchObject({ name: `code ${transport.toLowerCase()}` });
  });

  it("returns a code after making the call with applied", async () => {
    await add("method=CreateGroup,code=4,applied,count=1");
    const failed = await Promise.resolve(create(`lost ${transport.toLowerCase()}`)).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: Code.DeadlineExceeded });
    expect(await countOf(`lost ${transport.toLowerCase()}`)).toBe(1);
  });

  it.each([
    ["reset", 0],
    ["reset,applied", 1],
    ["truncate", 1],
  ])("breaks the connection: after %s, %i groups exist", async (rule, created) => {
    const name = `${rule.replace(",", " ")} ${transport.toLowerCase()}`;
    await add(`method=CreateGroup,count=1,${rule}`);
    await expect(create(name)).rejects.toThrow();
    expect(await countOf(name)).toBe(created);
    expect(await create(`after ${name}`)).toMatchObject({ name: `after ${name}` });
  });

  it("delays a call", async () => {
    await add("method=CreateGroup,latency=150ms");
    const before = performance.now();
    expect(await create("late")).toMatchObject({ name: "late" });
    expect(performance.now() - before).toBeGreaterThanOrEqual(149);
  });
});

describe("/faults", () => {
  it("is only for the admin, and lists the rules with the number of calls that each affected", async () => {
    expect(await add("code=8,method=ListRoles", "reset,method=nothing")).toEqual({
      rules: [
        { rule: "code=8,method=ListRoles", struck: 0 },
        { rule: "reset,method=nothing", struck: 0 },
      ],
    });
    const sent = await platform.admin.get("/iam/v2beta1/roles");
    expect(sent).toMatchObject({ status: 429, body: { code: 8 } });
    expect(sent.headers.get("retry-after")).toBe("1");
    expect((await platform.admin.ok("GET", "/faults"))["rules"]).toMatchObject([{ struck: 1 }, { struck: 0 }]);
    expect((await platform.as(undefined).get("/metrics")).text).toMatch(
      /muster_platform_server_faults_total\{.*ListRoles"\} 1/,
    );
    expect(await platform.admin.ok("DELETE", "/faults")).toEqual({ rules: [] });
    for (const method of ["GET", "POST", "DELETE"])
      expect(await platform.as(undefined).send(method, "/faults")).toMatchObject({ status: 401, body: { code: 16 } });
    const caller = await platform.callerWith("owner", platform.root);
    expect(await caller.post("/faults", { rules: ["reset"] })).toMatchObject({ status: 403, body: { code: 7 } });
    expect((await platform.admin.send("PUT", "/faults")).body).toMatchObject({ code: 12 });
  });

  it("rejects an invalid rule with a violation of it, and applies none of the rules", async () => {
    const response = await platform.admin.post("/faults", { rules: ["reset", "cod=1"] });
    expect(response.body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field: "rules[1]" }] }] });
    expect((await platform.admin.post("/faults", "x")).body).toMatchObject({ code: 3 });
    expect((await platform.admin.post("/faults", {})).body).toMatchObject({ code: 3 });
    expect(await platform.admin.ok("GET", "/faults")).toEqual({ rules: [] });
  });

  it("does not exist without --fault-injection, but rules from the settings apply", async () => {
    const separate = await RunningPlatform.start({}, { faults: [parseFaultRule("code=14,count=1")] });
    expect((await separate.admin.get("/iam/v2beta1/groups")).status).toBe(503);
    expect(await separate.admin.get("/faults")).toMatchObject({ status: 404, body: { code: 5 } });
    await separate.stop();
  });
});
