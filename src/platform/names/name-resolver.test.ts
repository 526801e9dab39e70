import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rootGroupShare } from "../shares/share.ts";
import { FakeNameServer, type FakeRecords } from "./fake-name-server.testing.ts";
import { NameResolver, type NameResolverOptions } from "./name-resolver.ts";

let server: FakeNameServer;
let folder: string;
const records: Record<string, FakeRecords> = {};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-names-"));
  writeFileSync(file("hosts"), "192.0.2.7 idp.corp.test idp\n2001:db8::7 idp.corp.test\n");
  writeFileSync(file("resolv.conf"), "search default.svc.cluster.test svc.cluster.test\noptions ndots:5\n");
  for (const name of Object.keys(records)) delete records[name];
  server = await FakeNameServer.start((name) => (name.endsWith("silent.test") ? "silent" : records[name]));
});
afterEach(() => {
  server.stop();
  rmSync(folder, { recursive: true });
});

const file = (name: string) => join(folder, name);
const resolver = (options: NameResolverOptions = {}) =>
  new NameResolver({
    servers: [server.address],
    hostsFile: file("hosts"),
    resolvConf: file("resolv.conf"),
    ...options,
  });
const tenant = (digit: string) => [rootGroupShare(digit.repeat(40))];
const named = { shares: [], search: true };
const chosen = { shares: tenant("a"), search: false };
const addressesOf = async (names: NameResolver, name: string, request: Parameters<NameResolver["resolve"]>[1]) =>
  (await names.resolve(name, request)).map(({ address }) => address).toSorted();

describe("NameResolver", () => {
  it("asks for the addresses of both families", async () => {
    records["issuer.test"] = { a: ["192.0.2.1", "192.0.2.2"], aaaa: ["2001:db8::1"] };
    expect(await addressesOf(resolver(), "Issuer.test", chosen)).toEqual(["192.0.2.1", "192.0.2.2", "2001:db8::1"]);
    records["six.test"] = { aaaa: ["2001:db8::2"] };
    expect(await resolver().resolve("six.test.", chosen)).toEqual([{ address: "2001:db8::2", family: 6 }]);
  });

  it("returns the addresses of one family if the name server never responds for the other", async () => {
    records["four.test"] = "silent about IPv6";
    const started = performance.now();
    expect(await addressesOf(resolver(), "four.test", chosen)).toEqual(["127.0.0.1"]);
    expect(performance.now() - started).toBeLessThan(900);
  });

  it.each([
    ["a name that does not exist", undefined, "ENOTFOUND"],
    ["a name without addresses", {}, "ENOTFOUND"],
    ["a name whose servers fail", "failure", "ESERVFAIL"],
  ] as const)("rejects %s", async (_, found, code) => {
    if (found !== undefined) records["x.test"] = found;
    await expect(resolver().resolve("x.test", chosen)).rejects.toMatchObject({ name: "NameError", code });
  });

  it("takes names from the hosts file, and localhost from nowhere", async () => {
    expect(await addressesOf(resolver(), "idp.corp.test", chosen)).toEqual(["192.0.2.7", "2001:db8::7"]);
    expect(await addressesOf(resolver(), "IDP.", named)).toEqual(["192.0.2.7"]);
    for (const name of ["localhost", "a.localhost."])
      expect(await addressesOf(resolver(), name, chosen)).toEqual(["127.0.0.1", "::1"]);
    expect(server.queries).toEqual([]);
  });

  it("reads the files again when they change, and does without them", async () => {
    const names = resolver();
    await expect(names.resolve("new.test", named)).rejects.toMatchObject({ code: "ENOTFOUND" });
    writeFileSync(file("hosts"), "192.0.2.8 new.test\n");
    expect(await addressesOf(names, "new.test", named)).toEqual(["192.0.2.8"]);
    rmSync(file("hosts"));
    await expect(names.resolve("new.test", named)).rejects.toMatchObject({ code: "ENOTFOUND" });
  });

  it("searches for a name of a setting, and not for one that a tenant chose", async () => {
    records["kubernetes.default.svc.cluster.test"] = { a: ["10.96.0.1"] };
    records["kubernetes.default.svc.default.svc.cluster.test"] = "failure";
    const names = resolver();
    expect(await addressesOf(names, "kubernetes.default", named)).toEqual(["10.96.0.1"]);
    server.queries.length = 0;
    await expect(names.resolve("kubernetes.default", chosen)).rejects.toMatchObject({ code: "ENOTFOUND" });
    expect(server.queries.toSorted()).toEqual(["A kubernetes.default", "AAAA kubernetes.default"]);
    // A domain of the list whose servers fail does not end the search.
    await expect(names.resolve("kubernetes.default.svc", named)).rejects.toMatchObject({ code: "ESERVFAIL" });
    expect(server.queries).toContain("A kubernetes.default.svc");
  });

  it("ends in time if the name server is silent, with the whole search list, and leaves nothing", async () => {
    writeFileSync(file("resolv.conf"), "search silent.test b.silent.test\noptions ndots:5\n");
    const names = resolver({ timeLimit: 150, maximumLookups: 2 });
    const started = performance.now();
    for (const request of [named, chosen])
      await expect(names.resolve("x.silent.test", request)).rejects.toMatchObject({ code: "ETIMEOUT" });
    expect(performance.now() - started).toBeLessThan(1_000);
    const before = server.queries.length;
    records["issuer.test"] = { a: ["192.0.2.1"] };
    await names.resolve("issuer.test.", chosen);
    expect(server.queries.slice(before).toSorted()).toEqual(["A issuer.test", "AAAA issuer.test"]);
  });

  it("ends when its signal is aborted", async () => {
    const aborting = new AbortController();
    const names = resolver({ maximumLookups: 1 });
    const lookup = names.resolve("x.silent.test.", { ...named, signal: aborting.signal });
    await vi.waitFor(() => expect(server.queries).toHaveLength(2));
    aborting.abort();
    await expect(lookup).rejects.toMatchObject({ code: "ECANCELLED" });
    await expect(names.resolve("y.silent.test", { ...named, signal: aborting.signal })).rejects.toMatchObject({
      code: "ECANCELLED",
    });
    records["issuer.test"] = { a: ["192.0.2.1"] };
    expect(await addressesOf(names, "issuer.test.", named)).toEqual(["192.0.2.1"]);
  });

  it("resolves the names of others at once while the name servers of a root group are silent", async () => {
    records["issuer.test"] = { a: ["192.0.2.1"] };
    const names = resolver({ maximumLookups: 20, timeLimit: 1_000 });
    const outcome = (name: string, shares: ReturnType<typeof tenant>) =>
      names.resolve(name, { shares, search: false }).then(
        () => "found",
        ({ code }: NodeJS.ErrnoException) => code,
      );
    const hanging = Array.from({ length: 40 }, (_, n) => outcome(`${n}.silent.test`, tenant("a")));
    const started = performance.now();
    const others = ["b", "c", "d"].map((digit) => outcome("issuer.test", tenant(digit)));
    expect(await Promise.all([...others, outcome("issuer.test", [])])).toEqual(["found", "found", "found", "found"]);
    expect(performance.now() - started).toBeLessThan(500);
    const codes = await Promise.all(hanging);
    expect(codes.filter((code) => code === "ETIMEOUT")).toHaveLength(16);
    expect(codes.filter((code) => code === "EAGAIN")).toHaveLength(24);
  });
});
