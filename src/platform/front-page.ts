/** What the root of the address shows: the way to everything that needs no token. */
const links = {
  docs: { path: "docs", text: "the methods of the API" },
  openApi: { path: "openapi.json", text: "the same for programs, as OpenAPI 3.1" },
  discovery: { path: ".well-known/openid-configuration", text: "the issuer of API tokens" },
  login: { path: ".well-known/oauth-authorization-server", text: "how programs log people in" },
  ready: { path: "readyz", text: "whether the platform serves calls" },
} as const;

export interface FrontPage {
  readonly kind: "html" | "json";
  readonly body: string;
}

/** HTML for a browser, and JSON for every other client. The links are relative, because a proxy may add a prefix. */
export function frontPage(accept: string): FrontPage {
  if (!/\btext\/html\b/.test(accept)) {
    const paths = Object.entries(links).map(([name, { path }]) => [name, `/${path}`] as const);
    return { kind: "json", body: `${JSON.stringify(Object.fromEntries(paths))}\n` };
  }
  const items = Object.values(links).map(({ path, text }) => `<li><a href="${path}">/${path}</a>: ${text}`);
  return {
    kind: "html",
    body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Muster platform</title></head>
<body style="font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem">
<h1>Muster platform</h1><ul>${items.join("\n")}</ul></body></html>
`,
  };
}
