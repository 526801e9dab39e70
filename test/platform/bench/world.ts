import type { HttpCall, HttpCallers } from "./http-callers.ts";
import type { Issuer } from "./issuer.ts";

/** The resources that the cases use. They are created and looked up through the API, as on every backend. */
export interface World {
  /** The uid of the root group. */
  readonly root: string;
  /** The uid of a group that contains a tenth of the tree. */
  readonly subtree: string;
  readonly groups: readonly string[];
  readonly identities: readonly string[];
  /** A token of an identity that is an owner at the root. */
  readonly ownerToken: string;
  /** A GET with the token of a viewer at the root. */
  readonly reading: (path: string) => HttpCall;
  readonly staticExchange: HttpCall;
  readonly discoveredExchange: HttpCall;
  /** The same exchange of a token that no other call has. */
  readonly newExchange: () => HttpCall;
  /** The page tokens of the first 500 pages of a List, which are read once. */
  readonly pageTokens: (query: string) => Promise<readonly string[]>;
  /** A page token for the middle of the results of a List. */
  readonly tokenInTheMiddle: (query: string) => Promise<string>;
}

interface WorldOptions {
  readonly callers: HttpCallers;
  readonly address: string;
  readonly rootGroup: string;
  readonly adminToken: string;
  readonly issuer: Issuer;
}

interface ListPage {
  readonly identities: readonly { readonly uid: string }[];
  readonly groups: readonly { readonly uid: string; readonly name: string }[];
  readonly roles: readonly { readonly uid: string }[];
  readonly totalCount: string;
  readonly nextPageToken: string;
}

export async function createWorld({ callers, address, rootGroup, adminToken, issuer }: WorldOptions): Promise<World> {
  const get = (path: string) =>
    callers.call<ListPage>({ method: "GET", path: `/iam/v2beta1/${path}`, token: adminToken });
  const post = (path: string, body: object) =>
    callers.call<{ uid: string }>({
      method: "POST",
      path: `/iam/v2beta1/${path}`,
      token: adminToken,
      body: JSON.stringify(body),
    });
  const audience = "127.0.0.1";
  /** Creates an identity, binds it at the root, and returns the call that exchanges a token for it. */
  const exchangeFor = async (role: string, assumption: object, subject: string): Promise<HttpCall> => {
    const { uid } = await post(`identities/${rootGroup}`, { name: subject, ...assumption });
    const [found] = (await get(`roles?name=${role}`)).roles;
    await post(`roleBindings/${rootGroup}`, { identityUid: uid, roleUid: found?.uid });
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
  const exchange = async (call: HttpCall) => (await callers.call<{ token: string }>(call)).token;

  const staticExchange = await exchangeFor("viewer", staticKeys("viewer"), "viewer");
  const viewerToken = await exchange(staticExchange);
  const reading = (path: string): HttpCall => ({ method: "GET", path, token: viewerToken });
  const pageTokens = new Map<string, Promise<readonly string[]>>();
  const tokensOf = async (query: string) => {
    const tokens = [""];
    while (tokens.length < 500) {
      const { nextPageToken = "" } = await callers.call<Partial<ListPage>>(
        reading(`${query}&page_token=${tokens.at(-1)}`),
      );
      if (nextPageToken === "") break;
      tokens.push(nextPageToken);
    }
    return tokens;
  };
  const topGroups = (await get(`groups?uidp.children_of=${rootGroup}&page_size=200`)).groups;
  const identities: string[] = [];
  // The order of creation is independent of the uids, so these identities are spread over the tree.
  for (let skip = 0; skip < 1_000; skip += 200)
    for (const { uid } of (await get(`identities?order_by=created_at&page_size=200&skip=${skip}`)).identities)
      identities.push(uid);
  const discoveredExchange = await exchangeFor("viewer", claimMatch("discovered"), "discovered");
  return {
    root: rootGroup,
    subtree: topGroups.find(({ name }) => name === "subtree-4")?.uid ?? "",
    groups: (await get("groups?page_size=200&name=&order_by=name")).groups.map(({ uid }) => uid),
    identities,
    ownerToken: await exchange(await exchangeFor("owner", claimMatch("owner"), "owner")),
    reading,
    staticExchange,
    discoveredExchange,
    newExchange: () => ({ ...discoveredExchange, token: issuer.newToken("discovered", audience) }),
    pageTokens: (query) => {
      const known = pageTokens.get(query) ?? tokensOf(query);
      pageTokens.set(query, known);
      return known;
    },
    tokenInTheMiddle: async (query) => {
      const { totalCount } = await callers.call<ListPage>(reading(`${query}&page_size=1`));
      const skip = Math.floor(Number(totalCount) / 2);
      return (await callers.call<ListPage>(reading(`${query}&page_size=1&skip=${skip}`))).nextPageToken;
    },
  };
}
