import type { AbuseKind } from "../abuse-kind.ts";

export const equalScopes: AbuseKind = {
  name: "equal-scopes",
  what: "calls with tokens for 64 scopes, of which each was named 7 times, by an identity with 5,000 bindings",
  prepare: async (abuser) => {
    const { doomed, groups } = abuser.tenant;
    const [identity = ""] = doomed;
    const scopes = groups.slice(0, 64).flatMap((uid) => Array.from({ length: 7 }, () => `scopes=${uid}`));
    const body = `aud=${abuser.origin}&identity=${identity}&${scopes.join("&")}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const subject = await abuser.subjectToken(identity);
    const exchange = { method: "POST", path: "/sts/exchange", token: subject, body, headers } as const;
    const { token } = await abuser.ok<{ token: string }>(exchange);
    return (signal) =>
      abuser.flood(signal, 200, (n) =>
        n % 4 === 0 ? exchange : { token, path: "/registry/v2beta1/repos?page_size=1" },
      );
  },
};

export const validExchanges: AbuseKind = {
  name: "exchanges",
  what: "exchanges of valid tokens, 400 at a time",
  prepare: async (abuser) => {
    const { owner } = abuser.tenant;
    const call = { path: abuser.exchangePath(owner), token: await abuser.subjectToken(owner) };
    return (signal) => abuser.flood(signal, 400, () => call);
  },
};

export const badSignatures: AbuseKind = {
  name: "bad-signatures",
  what: "exchanges of tokens with invalid signatures, and calls with forged API tokens",
  prepare: async (abuser) => {
    const { owner } = abuser.tenant;
    const forged = (token: string, n: number) =>
      `${token.split(".").slice(0, 2).join(".")}.${Buffer.alloc(64, `${n}`).toString("base64url")}`;
    const subject = await abuser.subjectToken(owner);
    return (signal) =>
      abuser.flood(signal, 400, (n) =>
        n % 2 === 0
          ? { path: abuser.exchangePath(owner), token: forged(subject, n) }
          : { path: "/iam/v2beta1/groups", token: forged(abuser.ownerToken, n) },
      );
  },
};

export const refreshStorm: AbuseKind = {
  name: "refresh-storm",
  what: "refreshes, uses of used refresh tokens, and new families",
  prepare: async (abuser) => {
    const { identities } = abuser.tenant;
    return (signal) =>
      abuser.repeat(signal, 200, async (n) => {
        const identity = identities[n % 20] ?? "";
        const { refreshToken } = await abuser.ok<{ refreshToken: string }>({
          path: abuser.exchangePath(identity),
          token: await abuser.subjectToken(identity),
        });
        const refresh = { method: "POST", path: "/sts/exchange_refresh_token", token: refreshToken } as const;
        await abuser.ok(refresh);
        abuser.count(200);
        // The second use ends the family.
        await abuser.ok(refresh).catch(() => abuser.count("reuse"));
      });
  },
};

export const longTokens: AbuseKind = {
  name: "long-tokens",
  what: "API tokens as long as possible, each used once",
  prepare: async (abuser) => {
    const { identities, groups } = abuser.tenant;
    return (signal) =>
      abuser.repeat(signal, 100, async (n) => {
        const start = n % 100;
        const scopes = groups.slice(start, start + 64).map((uid) => `&scopes=${uid}`);
        const identity = identities[n % identities.length] ?? "";
        const token = await abuser.tokenOf(identity, scopes.join(""));
        await abuser.ok({ path: "/iam/v2beta1/groups?page_size=1", token });
        abuser.count(200);
      });
  },
};

export const awsTokens: AbuseKind = {
  name: "aws-tokens",
  what: "requests to AWS STS that are malformed in many places",
  prepare: (abuser) => {
    const garbage = (n: number) => {
      const headers = Array.from({ length: n % 300 }, (_, m) => `X-Header-${m}: ${"a".repeat(n % 40)}`);
      const line = "POST https://sts.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15 HTTP/1.1";
      const text = [line, "Host: sts.amazonaws.com", "X-Amz-Date: 20261122T000000Z", ...headers, "", ""].join("\r\n");
      return Buffer.from(text).toString("base64url").slice(0, 16_000);
    };
    const path = abuser.exchangePath(abuser.tenant.owner);
    return (signal) => abuser.flood(signal, 300, (n) => ({ path, token: garbage(n) }));
  },
};

export const guesses: AbuseKind = {
  name: "guesses",
  what: "guessed admin tokens, refresh tokens and invite codes",
  prepare: (abuser) => (signal) =>
    abuser.flood(signal, 300, (n) => {
      const guess = Buffer.alloc(32, `${n}`).toString("base64url");
      if (n % 3 === 0) return { path: "/iam/v2beta1/groups", token: `muster-admin-${guess}` };
      if (n % 3 === 1) return { method: "POST", path: "/sts/exchange_refresh_token", token: guess };
      return { path: `/oauth?exit=redirect&redirect=http://localhost:1/callback&invite=${guess}`, token: undefined };
    }),
};
