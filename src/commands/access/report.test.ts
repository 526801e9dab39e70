import { describe, expect, it } from "vitest";
import type { AccessState, KnownBinding, KnownIdentity } from "#src/access/access-state.ts";
import { bindings, company, hostileNames, openCompany } from "./company.testing.ts";
import { reportContent } from "./report-content.ts";
import { reportPage } from "./report-page.ts";
import { reportCsv, reportText } from "./report-text.ts";

const rowsOf = (csv: string) => csv.slice(1).trimEnd().split("\r\n");

describe("the report", () => {
  it("covers the group, what is below it, and what applies from above", () => {
    const paths = ({ roleBindings }: ReturnType<typeof reportContent>) =>
      roleBindings.map(({ identity, reach }) => `${identity.path} ${reach}`);
    expect(paths(reportContent(openCompany(), company.shop))).toEqual([
      "acme/admin above",
      "acme/shop/ci here",
      "acme/shop/web/robot below",
    ]);
    expect(paths(reportContent(openCompany(), company.web))).toEqual([
      "acme/admin above",
      "acme/shop/ci above",
      "acme/shop/web/robot here",
    ]);
    expect(reportContent(openCompany(), company.shop).groups.map(({ path }) => path)).toEqual([
      "acme",
      "acme/shop",
      "acme/shop/web",
    ]);
  });

  it("distinguishes groups and identities that are called the same, in every format", () => {
    const { state } = openCompany().model;
    const [shop, web] = [`${company.root}/00000000000000f1`, `${company.root}/00000000000000f1/00000000000000f2`];
    const twin = { ...state.identities[1], uid: `${company.shop}/00000000000000f3`, name: "ci" } as KnownIdentity;
    const changes = {
      groups: [...state.groups, { uid: shop, name: "shop" }, { uid: web, name: "web" }],
      identities: [...state.identities, twin],
      bindings: [
        ...state.bindings,
        { ...state.bindings[1], uid: `${web}/00000000000000f4`, identity: twin } as KnownBinding,
      ],
    };
    const report = reportContent(openCompany({ changes }), company.root);
    const texts = [
      reportText(report, undefined).table.rows.join("\n"),
      reportCsv(report),
      reportPage(report, undefined),
    ];
    for (const text of texts.map((one) => one.replaceAll("<wbr>", "")))
      for (const path of [
        "acme/shop/ci (00000000000000f3)",
        "acme/shop/ci (0000000000000101)",
        "acme/shop/web (00000000000000f2)",
        "acme/shop (0000000000000001)",
      ])
        expect(text).toContain(path);
    expect(report.groups.map(({ path }) => path)).toEqual([
      "acme",
      "acme/shop (0000000000000001)",
      "acme/shop/web (0000000000000002)",
      "acme/shop (00000000000000f1)",
      "acme/shop/web (00000000000000f2)",
    ]);
    expect(reportPage(report, undefined)).toContain('<span class="name">web (00000000000000f2)</span>');
  });

  it("does not show a custom role as the built-in role of the same name", () => {
    const [viewer, , publisher] = openCompany().model.state.roles;
    const changes = { roles: [viewer, { ...publisher, name: "viewer" }] as AccessState["roles"] };
    const { roleBindings } = reportContent(openCompany({ changes }), company.web);
    expect(roleBindings.map(({ role }) => role.name)).toEqual(["viewer", "editor", "viewer (0000000000000009)"]);
  });

  it("says in every format that a mistyped uid may not be a group, instead of that nobody has access", () => {
    const report = reportContent(openCompany(), "b".repeat(40));
    expect(report).toMatchObject({ complete: false, roleBindings: [], unknown: [{ what: "group" }] });
    const message = `${"b".repeat(40)} is not a group that you can read`;
    for (const text of [
      reportCsv(report),
      reportPage(report, undefined),
      JSON.stringify(reportText(report, undefined).notes),
    ])
      expect(text).toContain(message);
  });

  it("lists undeclared role bindings first, then undeclared identities", () => {
    const report = reportContent(openCompany({ declares: [bindings.admin, bindings.ci] }), company.root);
    expect(report.roleBindings.map(({ identity }) => identity.path)).toEqual([
      "acme/shop/web/robot",
      "acme/admin",
      "acme/shop/ci",
    ]);
    expect(reportText(report, undefined).heading).toBe(
      "Access to acme and below: 3 identities through 3 role bindings, of which 1 is undeclared.",
    );
  });

  it("reports what the caller cannot list as unknown, in every format", () => {
    const all = openCompany().model.state;
    const changes = { seesEverything: false, bindings: all.bindings.slice(2), roles: all.roles.slice(0, 2) };
    const report = reportContent(openCompany({ changes }), company.shop);
    const messages = [
      `the role bindings of acme (${company.root}) cannot be read: you need role_bindings.list there`,
      `the role bindings of acme/shop (${company.shop}) cannot be read: you need role_bindings.list there`,
      `the role bindings of the groups below acme/shop (${company.shop}) cannot be read, except in acme/shop/web (${company.web}) and below: you need role_bindings.list there`,
      `the capabilities of the role publisher cannot be read: you need roles.list in acme (${company.root})`,
    ];
    expect(report.complete).toBe(false);
    expect(report.unknown.slice(0, 4)).toMatchObject(messages.map((message) => ({ message })));
    expect(report.unknown.slice(4).map(({ what }) => what)).toEqual(["identityProviders", "groupInvites"]);
    const { heading, notes } = reportText(report, undefined);
    expect(heading).toContain("at least 1 identity through 1 role binding.");
    expect(notes.slice(0, 4)).toEqual(messages.map((message) => `Unknown: ${message}.`));
    const unknown = rowsOf(reportCsv(report)).slice(1, 5);
    expect(unknown).toEqual(messages.map((message) => expect.stringContaining(`"unknown access","${message}",`)));
    expect(rowsOf(reportCsv(report))[7]).toContain('"publisher","unknown"');
    const page = reportPage(report, undefined);
    for (const message of messages) expect(page).toContain(`<li>${message}.</li>`);
    expect(page).toContain("Unknown: there may be more access than this page shows");
    expect(page).toContain("<b><small>at least</small> 1</b> identities");
  });

  it("does not count what is undeclared if no cluster was read", () => {
    const { view } = openCompany();
    const page = reportPage(reportContent(openCompany(), company.shop), view.declarationsNote);
    expect(page).toContain("<b>unknown</b> undeclared");
    expect(page).toContain("the cluster was not read (--no-cluster is set)");
  });

  it("says that it is unknown what people get who log in, if the role cannot be read", () => {
    const role = { uid: `${company.root}/${"8".repeat(16)}`, name: "" };
    const provider = { name: "people", issuer: "https://a.example", clientId: "a" };
    const uid = `${company.shop}/${"7".repeat(16)}`;
    const loginGrants = [{ ...provider, through: "identityProvider", role, uid } as const];
    const report = reportContent(openCompany({ changes: { loginGrants, bindings: [] } }), company.shop);
    expect(report).toMatchObject({ complete: false, loginGrants: [{ uid }] });
    expect(report.unknown.map(({ message }) => message)).toEqual([
      `the capabilities of the role ${role.uid} cannot be read: you need roles.list in acme (${company.root})`,
    ]);
    expect(reportPage(report, undefined)).not.toContain("Nobody");
  });

  it("says that nobody else has access only if everything could be read", () => {
    const report = reportContent(openCompany(), company.shop);
    expect(report).toMatchObject({ complete: true, unknown: [] });
    expect(reportPage(report, undefined)).not.toContain("Unknown:");
  });
});

describe("the table for spreadsheets", () => {
  it("has a row for each role binding, with everything that a review needs", () => {
    const [titles, first] = rowsOf(reportCsv(reportContent(openCompany({ declares: [bindings.admin] }), company.shop)));
    expect(titles).toContain(
      '"STATE","IDENTITY","PERSON","ASSUMED BY","ROLE","CAPABILITIES","GROUP","REACH","DECLARED BY"',
    );
    expect(first).toMatch(
      /^"undeclared","acme\/shop\/ci","","issuer https:\/\/issuer.example.com, subject ci","editor","groups.list repo.create /,
    );
  });

  it("has no cell that a spreadsheet would evaluate, and one line for each row", () => {
    const { roles } = openCompany().model.state;
    const changes = { roles: roles.map((role) => ({ ...role, name: "=1+1" })) };
    const csv = reportCsv(reportContent(openCompany({ changes, others: hostileNames }), company.web));
    const rows = rowsOf(csv);
    expect(rows).toHaveLength(1 + 3 + hostileNames.length);
    const cells = rows.flatMap((row) => row.slice(1, -1).split('","'));
    expect(cells.filter((cell) => /(^|;)\s*[=+\-@\t\r]/.test(cell))).toEqual([]);
    expect(cells.filter((cell) => cell.startsWith("'=1+1"))).toHaveLength(3 + hostileNames.length);
    expect(csv).not.toMatch(/[\u202e\u2066\t]/);
  });
});
