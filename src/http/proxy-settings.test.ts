import { describe, expect, it } from "vitest";
import { displayProxy, proxyFor, readProxySettings } from "./proxy-settings.ts";

const proxy = "http://user:hidden@proxy.example:3128";
const routeOf = (target: string, env: Record<string, string>) =>
  proxyFor(new URL(target), readProxySettings(env))?.host;

describe("the proxy of a target", () => {
  it("is that of its scheme", () => {
    const env = { HTTPS_PROXY: proxy, HTTP_PROXY: "http://other.example" };
    expect(routeOf("https://platform.example", env)).toBe("proxy.example:3128");
    expect(routeOf("http://platform.example", env)).toBe("other.example");
    expect(routeOf("http://platform.example", { HTTPS_PROXY: proxy })).toBeUndefined();
    expect(routeOf("https://platform.example", {})).toBeUndefined();
  });

  it("is read from lower case first, and may have no scheme", () => {
    expect(routeOf("https://a.example", { HTTPS_PROXY: proxy, https_proxy: "inner.example:8080" })).toBe(
      "inner.example:8080",
    );
    expect(routeOf("https://a.example", { HTTPS_PROXY: proxy, https_proxy: "" })).toBe("proxy.example:3128");
  });

  it.each(["https://localhost", "https://127.0.0.1:6443", "https://127.8.8.8", "https://[::1]", "https://LOCALHOST:1"])(
    "is none for %s, which is this machine",
    (target) => {
      expect(routeOf(target, { HTTPS_PROXY: proxy })).toBeUndefined();
    },
  );

  it.each([
    ["*", "https://a.example", true],
    ["a.example", "https://a.example", true],
    ["A.Example", "https://a.EXAMPLE.", true],
    ["a.example", "https://sub.a.example", true],
    ["a.example", "https://ba.example", false],
    [".a.example", "https://sub.a.example", true],
    [".a.example", "https://a.example", false],
    ["*.a.example", "https://sub.a.example", true],
    ["*.a.example", "https://a.example", false],
    [".svc", "https://kubernetes.default.svc", true],
    ["a.example:443", "https://a.example", true],
    ["a.example:8443", "https://a.example", false],
    ["a.example:8443", "https://a.example:8443", true],
    ["10.0.0.1", "https://10.0.0.1", true],
    ["10.0.0.1", "https://10.0.0.10", false],
    ["10.96.0.0/12", "https://10.96.0.1", true],
    ["10.96.0.0/12", "https://10.112.0.1", false],
    ["10.96.0.0/12", "https://a.example", false],
    ["10.96.0.0/99", "https://10.96.0.1", false],
    ["fd00::/8", "https://[fd00::1]", true],
    ["[fd00::1]:443", "https://[fd00::1]", true],
    ["fd00::1", "https://[fd00::1]", true],
    ["fd00::1", "https://[fd00::2]", false],
    ["fd00:0:0:0:0:0:0:1", "https://[fd00::1]", true],
    [", other.example  b.example,", "https://b.example", true],
    ["", "https://a.example", false],
    [".", "https://a.example", false],
  ])("with NO_PROXY %j, %s is direct: %s", (noProxy, target, direct) => {
    expect(routeOf(target, { HTTPS_PROXY: proxy, NO_PROXY: noProxy }) === undefined).toBe(direct);
  });

  it.each([
    "socks5://user:hidden@proxy.example",
    "http://user:hidden@:0:0",
    "http://hidden%zz@proxy.example",
    "ht tp://hidden",
  ])("is refused, without its value, if it is %s", (value) => {
    const read = () => readProxySettings({ HTTPS_PROXY: value });
    expect(read).toThrow("the environment variable HTTPS_PROXY is not the URL of an HTTP proxy");
    expect(read).not.toThrow("hidden");
  });

  it("is shown without user name and password", () => {
    expect(displayProxy(new URL(proxy))).toBe("http://proxy.example:3128");
  });
});
