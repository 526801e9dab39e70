import { describe, expect, it } from "vitest";
import { parseHosts } from "./hosts-file.ts";

describe("parseHosts", () => {
  it("reads addresses, names, aliases and comments, and ignores what is not a host", () => {
    const hosts = parseHosts(
      "# comment\n127.0.0.1\tlocalhost\n::1 localhost ip6-localhost # loopback\n10.0.0.7  Idp.Corp.test idp\nnot-an-address name\n10.0.0.8 idp\n\n10.0.0.9 \u212Aate\n",
    );
    expect(Object.fromEntries(hosts)).toEqual({
      localhost: ["127.0.0.1", "::1"],
      "ip6-localhost": ["::1"],
      "idp.corp.test": ["10.0.0.7"],
      idp: ["10.0.0.7", "10.0.0.8"],
    });
  });
});
