import type { HttpCall, HttpCallers } from "./http-callers.ts";
import type { Issuer } from "./issuer.ts";

/** What the cases call with: made and found by way of the API, so that it is the same on every backend. */
export interface World {
  readonly root: string;
  /** A tenth of the tree. */
  readonly subtree: string;
  readonly groups: readonly string[];
  readonly identities: readonly string[];
  /** Tokens of identities that are bound at the root. */
  readonly ownerToken: string;
  readonly reading: (path: string) => HttpCall;
  readonly staticExchange: HttpCall;
  readonly discoveredExchange: HttpCall;
  /** A page token in the midst of what a List finds. */
  readonly tokenInTheMiddle: (query: string) => Promise<string>;
}

interface Page {
  readonly identities: readonly { readonly uid: string }[];
  readonly groups: readonly { readonly uid: string; readonly name: string }[];
  readonly roles: readonly { readonly uid: string }[];
  readonly totalCount: string;
  readonly nextPageToken: string;
}

/** @param root the root group @param admin the admin's token */
export async function makeWorld(
  callers: HttpCallers,
  address: string,
  root: string,
  admin: string,
  issuer: Issuer,
): Promise<World> {
  const get = (path: string) => callers.call<Page>({ method: "GET", path: `/iam/v2beta1/${path}`, token: admin });
  const post = (path: string, body: object) =>
    callers.call<{ uid: string }>({
      method: "POST",
      path: `/iam/v2beta1/${path}`,
      token: admin,
      body: JSON.stringify(body),
    });
  const audience = "127.0.0.1";
  const exchangeOf = async (role: string, assumption: object, subject: string): Promise<HttpCall> => {
    const { uid } = await post(`identities/${root}`, { name: subject, ...assumption });
    const [found] = (await get(`roles?name=${role}`)).roles;
    await post(`roleBindings/${root}`, { identityUid: uid, roleUid: found?.uid });
    const token = await issuer.token(subject, audience);
    return { method: "GET", path: `/sts/exchange?aud=http://${address}&identity=${uid}`, token };
  };
  const staticKeys = (subject: string) => ({
    staticKeys: {
      issuer: issuer.url,
      subject,
      audiences: [audience],
      issuerKeys: JSON.stringify({ keys: [issuer.jwk] }),
    },
  });
  const claimMatch = (subject: string) => ({ claimMatch: { issuer: issuer.url, subject } });
  const exchanged = async (call: HttpCall) => (await callers.call<{ token: string }>(call)).token;

  const staticExchange = await exchangeOf("viewer", staticKeys("viewer"), "viewer");
  const viewerToken = await exchanged(staticExchange);
  const reading = (path: string): HttpCall => ({ method: "GET", path, token: viewerToken });
  const tops = (await get(`groups?uidp.children_of=${root}&page_size=200`)).groups;
  const identities: string[] = [];
  // The order of creation is no order of uids: these are from all over the tree.
  for (let skip = 0; skip < 1_000; skip += 200)
    for (const { uid } of (await get(`identities?order_by=created_at&page_size=200&skip=${skip}`)).identities)
      identities.push(uid);
  return {
    root,
    subtree: tops.find(({ name }) => name === "subtree-4")?.uid ?? "",
    groups: (await get("groups?page_size=200&name=&order_by=name")).groups.map(({ uid }) => uid),
    identities,
    ownerToken: await exchanged(await exchangeOf("owner", claimMatch("owner"), "owner")),
    reading,
    staticExchange,
    discoveredExchange: await exchangeOf("viewer", claimMatch("discovered"), "discovered"),
    tokenInTheMiddle: async (query) => {
      const { totalCount } = await callers.call<Page>(reading(`${query}&page_size=1`));
      const skip = Math.floor(Number(totalCount) / 2);
      return (await callers.call<Page>(reading(`${query}&page_size=1&skip=${skip}`))).nextPageToken;
    },
  };
}
