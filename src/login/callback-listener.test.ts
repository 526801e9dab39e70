import { once } from "node:events";
import { request as send } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CallbackListener } from "./callback-listener.ts";

const state = "the-state-of-this-login";
const issuer = "https://auth.example.com";
const target = new URL(`${issuer}/authorize?state=${state}&invite=secret`);

let listener: CallbackListener;
beforeEach(async () => {
  listener = await CallbackListener.listen({ state, issuer });
});
afterEach(() => listener.close());

interface Sent {
  readonly method?: string;
  readonly host?: string;
}

/** Sends a request as any program on this machine can. */
async function visit(url: string | URL, { method = "GET", host }: Sent = {}) {
  const request = send(url, { method, agent: false, headers: { host: host ?? new URL(url).host } }).end();
  const [response] = await once(request, "response");
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const { headers, statusCode } = response as { headers: Record<string, string>; statusCode: number };
  return { status: statusCode, headers, text: Buffer.concat(chunks).toString() };
}

const callback = (parameters: Readonly<Record<string, string>>) =>
  new URL(`${listener.redirectUri}?${new URLSearchParams(parameters).toString()}`);
const good = { code: "the-code", state, iss: issuer };

/** Whether there is a response yet. */
async function responded(): Promise<boolean> {
  return (await Promise.race([listener.authorization, Promise.resolve(undefined)])) !== undefined;
}

describe("the listener for the response in the browser", () => {
  it("listens on 127.0.0.1 and takes the code, with a page that has neither script nor code", async () => {
    expect(listener.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const { headers, status, text } = await visit(callback(good));
    expect(await listener.authorization).toEqual({ kind: "code", code: "the-code" });
    expect(status).toBe(200);
    expect(text).toContain("You may close this window.");
    expect(text).not.toMatch(/<script|the-code|the-state/);
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
  });

  it.each([
    ["no parameter", {}],
    ["another state", { ...good, state: "another-state-of-this-l" }],
    ["a state that is longer", { ...good, state: `${state}x` }],
    ["an error of somebody else", { error: "access_denied" }],
    ["an error with an empty state", { error: "access_denied", state: "" }],
  ])("changes nothing for %s", async (_, parameters) => {
    const { status, text } = await visit(callback(parameters));
    expect(status).toBe(400);
    expect(text).toContain("somebody else did");
    expect(await responded()).toBe(false);
    await visit(callback(good));
    expect(await listener.authorization).toMatchObject({ code: "the-code" });
  });

  it("changes nothing for two states, another path, method or host", async () => {
    const url = callback(good);
    expect((await visit(`${url.href}&state=${state}`)).status).toBe(400);
    expect((await visit(url.href.replace("/callback", "/callback/"))).status).toBe(404);
    expect((await visit(url.href.replace("/callback?", "//callback?"))).status).toBe(404);
    expect((await visit(url, { method: "POST" })).status).toBe(404);
    // A page of evil.example whose name was pointed to 127.0.0.1.
    expect((await visit(url, { host: `evil.example:${url.port}` })).status).toBe(404);
    expect((await visit(url, { host: `localhost:${url.port}` })).status).toBe(404);
    expect(await responded()).toBe(false);
  });

  it("takes the first response only", async () => {
    await visit(callback(good));
    await visit(callback({ ...good, code: "another" }));
    expect(await listener.authorization).toEqual({ kind: "code", code: "the-code" });
  });

  it.each([
    ["of another issuer", { ...good, iss: "https://evil.example" }, "the response in the browser is not from"],
    ["without an issuer", { code: "the-code", state }, "the response in the browser is not from"],
    ["without a code", { state, iss: issuer }, "contains neither a code nor an error"],
    ["with a code that nobody issues", { ...good, code: "x".repeat(5000) }, "contains neither a code nor an error"],
  ])("ends the login after a response %s", async (_, parameters, message) => {
    await visit(callback(parameters));
    expect(await listener.authorization).toMatchObject({ kind: "forged", message: expect.stringContaining(message) });
  });

  it("takes an error of the platform, as one line without control characters", async () => {
    const { text } = await visit(
      callback({ state, iss: issuer, error: "access_denied", error_description: "no\u001b[2J\nrole <b>" }),
    );
    expect(text).toContain("The terminal shows the reason.");
    expect(text).not.toContain("role");
    expect(await listener.authorization).toEqual({ kind: "error", error: "access_denied", message: "no[2J role <b>" });
  });

  it("leads to the login once", async () => {
    const link = listener.linkTo(target);
    expect(link).not.toContain(state);
    const first = await visit(link);
    expect([first.status, first.headers["location"]]).toEqual([303, target.href]);
    const second = await visit(link);
    expect([second.status, second.headers["location"]]).toEqual([410, undefined]);
    expect((await visit(link.slice(0, -1))).status).toBe(404);
  });

  it("responds while other programs hold connections open, and closes them at the end", async () => {
    const port = Number(new URL(listener.redirectUri).port);
    const idle = Array.from({ length: 40 }, () => connect(port, "127.0.0.1"));
    await Promise.all(idle.map((socket) => once(socket, "connect")));
    const ended = idle.map((socket) =>
      once(
        socket.on("error", () => undefined),
        "close",
      ),
    );
    await visit(callback(good));
    expect(await listener.authorization).toMatchObject({ kind: "code" });
    await listener.close();
    await Promise.all(ended);
  });
});
