import type { AbuseKind } from "../abuse-kind.ts";

export const pages: AbuseKind = {
  name: "pages",
  what: "pages of 200 repos, 600 at a time",
  prepare: (abuser) => (signal) =>
    abuser.flood(signal, 600, () => ({ path: "/registry/v2beta1/repos?page_size=200&order_by=name" })),
};

export const hugeIdentities: AbuseKind = {
  name: "huge-identities",
  what: "pages of identities with claims of 200 KB each",
  prepare: async (abuser) => {
    const group = await abuser.create("groups", abuser.tenant.root, { name: "huge" });
    for (let n = 0; n < 60; n++) {
      const claims = { a: "x".repeat(60_000), b: "y".repeat(60_000), c: "z".repeat(60_000) };
      const claimMatch = { issuer: abuser.issuers.url("good"), subject: `s-${n}`, claims };
      await abuser.create("identities", group, { name: `huge-${n}`, claimMatch });
    }
    return (signal) =>
      abuser.flood(signal, 200, () => ({
        path: `/iam/v2beta1/identities?page_size=200&uidp.descendants_of=${group}`,
      }));
  },
};

export const v1Lists: AbuseKind = {
  name: "v1-lists",
  what: "v1 lists of 20,000 repos, 100 at a time",
  prepare: (abuser) => (signal) => abuser.flood(signal, 100, () => ({ path: "/registry/v1/repos" })),
};

export const heldLists: AbuseKind = {
  name: "held-lists",
  what: "v1 lists of 20,000 repos by 20 identities, which receive the beginning and hold the rest",
  prepare: async (abuser) => {
    const { root, identities } = abuser.tenant;
    const { roles } = await abuser.ok<{ roles: { uid: string }[] }>({ path: "/iam/v2beta1/roles?name=viewer" });
    const tokens = await Promise.all(
      identities.slice(0, 20).map(async (identityUid) => {
        await abuser.create("roleBindings", root, { identityUid, roleUid: roles[0]?.uid });
        return abuser.tokenOf(identityUid);
      }),
    );
    let n = 0;
    return (signal) =>
      abuser.hold(signal, 100, (socket) => {
        const token = tokens[n++ % tokens.length] ?? "";
        socket.write(`GET /registry/v1/repos HTTP/1.1\r\nhost: platform\r\nauthorization: Bearer ${token}\r\n\r\n`);
        socket.once("data", (data: Buffer) => {
          // A list that is refused is tried again.
          if (data.toString("latin1", 9, 12) === "200") socket.pause();
          else setTimeout(() => socket.destroy(), 100);
        });
      });
  },
};

export const statements: AbuseKind = {
  name: "statements",
  what: "lists with ever different filters, so that no prepared statement is used twice",
  prepare: (abuser) => (signal) => {
    const { identities } = abuser.tenant;
    const orders = ["uid", "name", "name desc", "created_at", "updated_at desc"];
    return abuser.flood(signal, 100, (n) => {
      const first = (n * 7) % 1_500;
      const ids = identities.slice(first, first + 1 + (n % 300)).map((uid) => `uidp.ids=${uid}`);
      const order = encodeURIComponent(orders[n % orders.length] ?? "uid");
      const path = `/iam/v2beta1/identities?order_by=${order}&${n % 2 === 0 ? "name=deployer-1&" : ""}${ids.join("&")}`;
      return { path: path.slice(0, 30_000).replace(/&uidp\.ids=[^&]*$/, "") };
    });
  },
};

export const scans: AbuseKind = {
  name: "scans",
  what: "lists that skip, search texts and sort",
  prepare: (abuser) => (signal) => {
    const paths = [
      "/registry/v2beta1/repos?page_size=1&skip=15000&order_by=updated_at",
      "/vulnerabilities/v2beta1/advisories?query=zz&page_size=200",
      "/vulnerabilities/v2beta1/advisories?query=9&page_size=200&order_by=updated_at",
      "/iam/v2beta1/groups?skip=9000&order_by=name",
      "/iam/v2beta1/roleBindings?skip=15000&page_size=1&order_by=created_at",
    ];
    return abuser.flood(signal, 200, (n) => ({ path: paths[n % paths.length] ?? "" }));
  },
};

export const disjointGroups: AbuseKind = {
  name: "disjoint-groups",
  what: "lists of an identity that is bound in 10,000 groups",
  prepare: async (abuser) => {
    const token = await abuser.tokenOf(abuser.tenant.islander);
    const paths = ["groups?page_size=200", "identities?order_by=name", "roleBindings?page_size=200", "groups?name=x"];
    return (signal) =>
      abuser.flood(signal, 100, (n) => ({ token, path: `/iam/v2beta1/${paths[n % paths.length] ?? ""}` }));
  },
};

export const manyBindings: AbuseKind = {
  name: "many-bindings",
  what: "gets by an identity that has 10,000 role bindings",
  prepare: async (abuser) => {
    const token = await abuser.tokenOf(abuser.tenant.islander);
    const { root, islander } = abuser.tenant;
    const paths = [`groups/${root}`, `identities/${islander}`, `roleBindings?identity=${islander}&page_size=200`];
    return (signal) =>
      abuser.flood(signal, 300, (n) => ({ token, path: `/iam/v2beta1/${paths[n % paths.length] ?? ""}` }));
  },
};

export const pageTokens: AbuseKind = {
  name: "page-tokens",
  what: "page tokens that the platform did not issue",
  prepare: (abuser) => (signal) =>
    abuser.flood(signal, 200, (n) => ({
      path: `/iam/v2beta1/groups?page_token=${Buffer.alloc(1 + (n % 20_000), `${n}`)
        .toString("base64url")
        .slice(0, 28_000)}`,
    })),
};

export const deepTree: AbuseKind = {
  name: "deep-tree",
  what: "creates, deletes and lists at a depth of 62 groups",
  prepare: (abuser) => {
    const { deepest } = abuser.tenant;
    return (signal) =>
      abuser.repeat(signal, 100, async () => {
        const uid = await abuser.create("groups", deepest, { name: "deep" });
        await abuser.ok({ path: `/iam/v2beta1/groups?uidp.ancestors_of=${uid}` });
        await abuser.ok({ method: "DELETE", path: `/iam/v2beta1/groups/${uid}` });
        abuser.count(200);
      });
  },
};
