import type { AbuseKind } from "../abuse-kind.ts";

export const deletions: AbuseKind = {
  name: "deletions",
  what: "deletes identities with 5,000 role bindings",
  prepare: (abuser) => async (signal) => {
    const { doomed, root } = abuser.tenant;
    await Promise.all(doomed.map((uid) => abuser.ok({ method: "DELETE", path: `/iam/v2beta1/identities/${uid}` })));
    abuser.count("deleted");
    // After that, identities that have just been created.
    await abuser.repeat(signal, 20, async () => {
      const claimMatch = { issuer: abuser.issuers.url("good"), subject: "s" };
      const uid = await abuser.create("identities", root, { name: "short", claimMatch });
      await abuser.ok({ method: "DELETE", path: `/iam/v2beta1/identities/${uid}` });
      abuser.count(200);
    });
  },
};

export const abandonedGroups: AbuseKind = {
  name: "abandoned-groups",
  what: "deletes groups with 20,000 expired invites",
  prepare: (abuser) => async () => {
    const { abandoned } = abuser.tenant;
    await Promise.all(
      abandoned.map(async (uid) => {
        await abuser.ok({ method: "DELETE", path: `/iam/v2beta1/groups/${uid}` });
        abuser.count("deleted");
      }),
    );
  },
};

export const createsAndDeletes: AbuseKind = {
  name: "creates-and-deletes",
  what: "creates and deletes groups, 400 at a time",
  prepare: (abuser) => (signal) =>
    abuser.repeat(signal, 400, async () => {
      const uid = await abuser.create("groups", abuser.tenant.root, { name: "short" });
      await abuser.ok({ method: "DELETE", path: `/iam/v2beta1/groups/${uid}` });
      abuser.count(200);
    }),
};

export const updates: AbuseKind = {
  name: "updates",
  what: "updates of one identity with 180 KB of claims, 300 at a time",
  prepare: async (abuser) => {
    const claimMatch = { issuer: abuser.issuers.url("good"), subject: "s", claims: { a: "x".repeat(60_000) } };
    const uid = await abuser.create("identities", abuser.tenant.root, { name: "updated", claimMatch });
    return (signal) =>
      abuser.flood(signal, 300, (n) => {
        const claims = { a: `${n}${"x".repeat(60_000)}`, b: "y".repeat(60_000), c: "z".repeat(60_000) };
        const body = { claimMatch: { ...claimMatch, claims }, description: `update ${n}` };
        return { method: "PATCH", path: `/iam/v2beta1/identities/${uid}`, body };
      });
  },
};

export const batches: AbuseKind = {
  name: "batches",
  what: "batches of 25 role bindings, 200 at a time",
  prepare: async (abuser) => {
    const { identities, groups } = abuser.tenant;
    const { roles } = await abuser.ok<{ roles: { uid: string }[] }>({ path: "/iam/v2beta1/roles?name=viewer" });
    const roleUid = roles[0]?.uid;
    return (signal) =>
      abuser.flood(signal, 200, (n) => {
        const requests = Array.from({ length: 25 }, (_, m) => ({
          parent: groups[(n + m) % groups.length],
          roleBinding: { identityUid: identities[(n * 25 + m) % identities.length], roleUid },
        }));
        return { method: "POST", path: "/iam/v2beta1/roleBindings:batchCreate", body: { requests } };
      });
  },
};

export const revocations: AbuseKind = {
  name: "revocations",
  what: "revokes the tokens of identities, and exchanges new ones",
  prepare: (abuser) => {
    const { identities } = abuser.tenant;
    return (signal) =>
      abuser.repeat(signal, 200, async (n) => {
        const identity = identities[n % 50] ?? "";
        await abuser.tokenOf(identity);
        await abuser.ok({ method: "POST", path: `/iam/v2beta1/identities/${identity}:revokeTokens`, body: {} });
        abuser.count(200);
      });
  },
};

/** A share of the audit log that an abuser uses up within seconds. */
const smallShare = ["--maximum-audit-bytes", String(2 * 1024 * 1024)];

export const auditOfOne: AbuseKind = {
  ...updates,
  name: "audit-of-one",
  what: "the same with a share of 2 MiB in the audit log, which it uses up",
  flags: smallShare,
};

export const auditOfMany: AbuseKind = {
  name: "audit-of-many",
  what: "updates of 2,000 identities with 20 KB of claims, 100 at a time, with a share of 2 MiB in the audit log",
  flags: smallShare,
  prepare: (abuser) => {
    const { identities } = abuser.tenant;
    const claimMatch = { issuer: abuser.issuers.url("good"), subject: "s" };
    return (signal) =>
      abuser.flood(signal, 100, (n) => {
        const claims = { a: `${n}${"x".repeat(20_000)}` };
        const path = `/iam/v2beta1/identities/${identities[n % identities.length]}`;
        return { method: "PATCH", path, body: { claimMatch: { ...claimMatch, claims } } };
      });
  },
};
