import { accessModel } from "#src/access/access-model.ts";
import type { AccessState, KnownBinding, KnownIdentity } from "#src/access/access-state.ts";
import { AccessView } from "./access-view.ts";
import type { Declaration, Declarations } from "./declarations.ts";
import type { OpenedAccess } from "./open-access.ts";
import { visibleText } from "#src/commands/output/visible-text.ts";

const root = "a".repeat(40);
const segment = (number: number) => number.toString(16).padStart(16, "0");
const roleUid = (digit: string) => digit.repeat(40);

/** The uids of a small company: acme, with shop, with web. */
export const company = { root, shop: `${root}/${segment(1)}`, web: `${root}/${segment(1)}/${segment(2)}` } as const;

/** Names that try to be HTML, a formula, another line or another direction, as the reader of the API makes them visible. */
export const hostileNames: readonly string[] = [
  "<script>document.title='owned'</script>",
  `"><img src=x onerror="document.title='owned'">`,
  "</td></tr></table><h1>owned</h1>",
  "&lt;b&gt;&#60;i&#62;",
  '=HYPERLINK("https://example.com","x")',
  "+1+1",
  "-2",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  "a\nb,=1",
  "a;=1+1",
  "\u202eevil\u2066",
  "${1+1}{{1+1}}</style></script>",
].map(visibleText);

const roles: AccessState["roles"] = [
  {
    uid: roleUid("1"),
    name: "viewer",
    capabilities: new Set(["CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST", "CAP_TAG_LIST"]),
  },
  {
    uid: roleUid("2"),
    name: "editor",
    capabilities: new Set([
      "CAP_IAM_GROUPS_LIST",
      "CAP_REPO_LIST",
      "CAP_TAG_LIST",
      "CAP_REPO_CREATE",
      "CAP_REPO_DELETE",
      "CAP_REPO_UPDATE",
    ]),
  },
  { uid: `${root}/${segment(9)}`, name: "publisher", capabilities: new Set(["CAP_TAG_CREATE", "CAP_TAG_UPDATE"]) },
];
const [viewer, editor, publisher] = roles as [
  AccessState["roles"][0],
  AccessState["roles"][0],
  AccessState["roles"][0],
];

export const person = (group: string, number: number, name: string): KnownIdentity => ({
  uid: `${group}/${segment(0x100 + number)}`,
  name,
  assumedBy: {
    method: "claimMatch",
    conditions: [
      { name: "issuer", value: "https://issuer.example.com" },
      { name: "subject", value: name },
    ],
  },
  ...(number % 2 === 0 ? { lastSeenTime: "2026-01-20T17:40:12.004Z" } : {}),
});

const bind = (group: string, number: number, identity: KnownIdentity, role: AccessState["roles"][0]): KnownBinding => ({
  uid: `${group}/${segment(0x1000 + number)}`,
  createTime: "2026-01-02T09:14:01.297Z",
  identity: { uid: identity.uid, name: identity.name },
  role: { uid: role.uid, name: role.name },
});

interface CompanyOptions {
  readonly changes?: Partial<AccessState>;
  /** Absent: the cluster was not read. */
  readonly declares?: readonly string[];
  /** The names of further identities that may edit web. */
  readonly others?: readonly string[];
}

/** What a command of `muster access` has read of the company, on 2026-01-31. */
export function openCompany({ changes = {}, declares, others = [] }: CompanyOptions = {}): OpenedAccess {
  const [admin, ci, robot] = [person(root, 0, "admin"), person(company.shop, 1, "ci"), person(company.web, 2, "robot")];
  const more = others.map((name, index) => person(company.web, 10 + index, name));
  const state: AccessState = {
    groups: [
      { uid: root, name: "acme" },
      { uid: company.shop, name: "shop" },
      { uid: company.web, name: "web" },
    ],
    identities: [admin, ci, robot, ...more],
    roles,
    bindings: [
      bind(root, 0, admin, viewer),
      bind(company.shop, 1, ci, editor),
      bind(company.web, 2, robot, publisher),
      ...more.map((identity, index) => bind(company.web, 10 + index, identity, editor)),
    ],
    loginGrants: [],
    seesEverything: true,
    ...changes,
  };
  const model = accessModel(state);
  const api = { list: () => Promise.reject(new Error("not used")), get: () => Promise.reject(new Error("not used")) };
  const platformUrl = new URL("https://platform.example.com/");
  const now = Date.parse("2026-01-31T12:00:00Z");
  return { api, claims: undefined, platformUrl, model, view: new AccessView(model, declarations(declares)), now };
}

function declarations(uids: readonly string[] | undefined): Declarations {
  if (uids === undefined) return { read: false, reason: "--no-cluster is set" };
  const of = new Map(uids.map((uid, index): [string, Declaration] => [uid, declaration(index)]));
  return { read: true, of };
}

const declaration = (index: number): Declaration => ({
  kind: "RoleBinding",
  namespace: "shop",
  name: `declared-${index}`,
  argoCdApplication: "shop-app",
});

/** The uids of the role bindings of the company, from the root down. */
export const bindings = {
  admin: `${root}/${segment(0x1000)}`,
  ci: `${company.shop}/${segment(0x1001)}`,
  robot: `${company.web}/${segment(0x1002)}`,
} as const;
