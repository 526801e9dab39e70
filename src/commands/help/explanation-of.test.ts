import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { type CommandRun, runCommand } from "#src/command-line.testing.ts";
import { type ExplanationName, explanations } from "#src/commands/explanations.ts";
import { type Behaviour, json, rejects, serve } from "#src/platform-client/misbehaving-server.testing.ts";
import { explanationOf } from "./explanation-of.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-errors-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fileWith = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};
const tokenFile = fileWith("token", "muster-admin-example");
const root = "a".repeat(40);
const identity = `${root}/${"1".repeat(16)}`;
const nowhere = "http://127.0.0.1:1";

/** The address of a platform that responds in one way. */
async function platform(behaviour: Behaviour): Promise<string> {
  const server = await serve(behaviour);
  onTestFinished(() => server.close());
  return server.url.origin;
}

/** A failure of a command for each paragraph of the documentation. */
const failures: Readonly<Record<ExplanationName, () => Promise<CommandRun>>> = {
  "not-logged-in": () => runCommand(["whoami"], { env: { HOME: folder } }),
  "login-refused": async () => {
    const url: string = await platform((request, response) => {
      const endpoint = { authorization_endpoint: url, token_endpoint: url, revocation_endpoint: url };
      const discovery = { issuer: url, ...endpoint, device_authorization_endpoint: `${url}/device` };
      if (request.method === "GET") json(200, discovery)(request, response);
      else
        json(400, { error: "invalid_request", error_description: "there is no such identity provider" })(
          request,
          response,
        );
    });
    return runCommand(["login", "--headless", "--platform-url", url, "--group", root], { env: { HOME: folder } });
  },
  "permission-denied": async () => {
    const url = await platform(rejects(403, 7));
    return runCommand(["api", "GET", "/iam/v2beta1/groups", "--platform-url", url, "--token-file", tokenFile]);
  },
  "exchange-refused": async () => {
    const url = await platform(rejects(403, 7));
    const subject = ["--subject-token-file", fileWith("subject", "x.y.z")];
    return runCommand(["token", "--identity", identity, "--auth-url", url, "--api-audience", url, ...subject]);
  },
  "platform-unavailable": () =>
    runCommand(["api", "GET", "/iam/v2beta1/groups", "--platform-url", nowhere, "--token-file", tokenFile]),
  "cluster-access": () => {
    const clusters = [{ name: "a", cluster: { server: "https://127.0.0.1:1" } }];
    const contexts = [{ name: "a", context: { cluster: "a", user: "a" } }];
    const config = { "current-context": "a", clusters, contexts, users: [{ name: "a", user: {} }] };
    const kubeconfig = fileWith("kubeconfig", JSON.stringify(config));
    return runCommand(["why", "shop/Group/web", "--kubeconfig", kubeconfig, "--no-platform"]);
  },
  "owner-id": async () => {
    const claimMatch = { issuer: "https://other.example", subject: "s", audience: "muster" };
    const other = { uid: identity, name: "muster", description: "[muster-owner:me]", claimMatch };
    const lists: Readonly<Record<string, readonly object[]>> = {
      groups: [{ uid: root }],
      roles: [{ uid: "b".repeat(40) }],
      identities: [other],
    };
    const url = await platform((request, response) => {
      const [, name = ""] = /^\/iam\/v2beta1\/(\w+)/.exec(request.url ?? "") ?? [];
      const resources = lists[name] ?? [];
      json(200, { [name]: resources, totalCount: resources.length })(request, response);
    });
    const settings = ["--owner-id", "me", "--issuer", "https://issuer.example"];
    return runCommand(["bootstrap", "--platform-url", url, "--admin-token-file", tokenFile, ...settings]);
  },
  "platform-data": () =>
    runCommand(["platform", "audit", "--data", fileWith("platform.db", "not a database".repeat(99))]),
  "operator-not-ready": async () => {
    const url = await platform(rejects(503, 14));
    const refusing = await platform(rejects(403, 7));
    const connection = ["--platform-url", refusing, "--identity", identity, "--token-file", tokenFile];
    return runCommand(["operator", "check", "--operator-url", url, ...connection]);
  },
};

describe("a failure prints the address of the paragraph that explains it", () => {
  it.each(Object.keys(explanations) as ExplanationName[])("%s", async (name) => {
    const { code, stderr } = await failures[name]();
    expect(code).toBeGreaterThan(0);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe(`More: docs/reference/errors.md#${name}`);
  });
});

it("prints no address after an error whose message has to do", async () => {
  const missing = join(folder, "missing");
  expect((await runCommand(["platform", "restore", missing, "--data", join(folder, "restored.db")])).stderr).toBe(
    `muster platform restore: ${missing} does not exist\n`,
  );
  expect((await runCommand(["whoami", "--colour"])).stderr).not.toContain("More:");
  expect(explanationOf("a text")).toBeUndefined();
});
