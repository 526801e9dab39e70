import { hash } from "node:crypto";
import type { AbuseKind } from "../abuse-kind.ts";
import type { Abuser } from "../abuser/abuser.ts";
import { loginClient, person } from "../abuser/hostile-issuers.ts";

/** The identities that have the issuer and the subject of one person. */
const crowd = 20_000;
/** The calls with which they are created at a time. */
const creating = 16;

/** Creates a group with a crowd of identities that only differ in their audience. @returns the uid of the group */
async function crowdedGroup(abuser: Abuser): Promise<string> {
  const group = await abuser.create("groups", abuser.tenant.root, { name: "crowd" });
  let next = 0;
  const create = async () => {
    for (let n = next++; n < crowd; n = next++) {
      const claimMatch = { issuer: abuser.issuers.url("good"), subject: person, audience: `client-${n}` };
      await abuser.create("identities", group, { name: `person-${n}`, claimMatch });
    }
  };
  await Promise.all(Array.from({ length: creating }, create));
  return group;
}

export const lookups: AbuseKind = {
  name: "lookups",
  what: "looks up an issuer and a subject that 20,000 identities have",
  prepare: async (abuser) => {
    await crowdedGroup(abuser);
    const query = new URLSearchParams({ issuer: abuser.issuers.url("good"), subject: person }).toString();
    return (signal) => abuser.flood(signal, 200, () => ({ path: `/iam/v2beta1/identities:lookupIdentity?${query}` }));
  },
};

export const logins: AbuseKind = {
  name: "logins",
  what: "logins of a person whose issuer and subject 20,000 other identities have",
  prepare: async (abuser) => {
    const group = await crowdedGroup(abuser);
    const { roles } = await abuser.ok<{ roles: { uid: string }[] }>({ path: "/iam/v2beta1/roles?name=viewer" });
    await abuser.create("identityProviders", group, {
      name: "good",
      defaultRole: roles[0]?.uid,
      oidc: { issuer: abuser.issuers.url("good"), clientId: loginClient, pkceEnabled: true },
    });
    const authorize = new URLSearchParams({
      response_type: "code",
      client_id: "muster-cli",
      redirect_uri: "http://127.0.0.1:1/callback",
      code_challenge: hash("sha256", "a verifier".padEnd(43, "x"), "base64url"),
      code_challenge_method: "S256",
      group,
    }).toString();
    return (signal) => abuser.repeat(signal, 50, () => logIn(abuser, authorize));
  },
};

/** Logs in, up to the authorization code. @param authorize the query with which a program begins a login */
async function logIn(abuser: Abuser, authorize: string): Promise<void> {
  const begun = await abuser.visit({ path: `/authorize?${authorize}` });
  const provider = new URL(begun.location).searchParams;
  const returned = new URLSearchParams({ code: provider.get("nonce") ?? "", state: provider.get("state") ?? "" });
  const { pathname } = new URL(provider.get("redirect_uri") ?? "");
  const page = await abuser.visit({ path: `${pathname}?${returned.toString()}`, headers: { cookie: begun.cookie } });
  const formToken = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1];
  if (formToken === undefined) throw new Error(`HTTP ${page.status} ${/<p>([^<]*)/.exec(page.text)?.[1]}`);
  const { status } = await abuser.visit({
    method: "POST",
    path: "/login/consent",
    body: new URLSearchParams({ form_token: formToken, decision: "approve" }).toString(),
    headers: { cookie: page.cookie, "content-type": "application/x-www-form-urlencoded" },
  });
  abuser.count(status);
}
