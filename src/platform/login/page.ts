import { createHash } from "node:crypto";
import type { WholeResponse } from "../server/http-handler.ts";
import { type Html, html } from "./html.ts";

const style = `
:root{color-scheme:light dark;--text:#1b1f24;--quiet:#4b5563;--back:#f3f4f6;--card:#fff;--line:#6b7280;--main:#1d4ed8;--on-main:#fff;--bad:#b91c1c}
@media(prefers-color-scheme:dark){:root{--text:#f3f4f6;--quiet:#c3c9d2;--back:#111418;--card:#1c2128;--line:#8b949e;--main:#9ec1ff;--on-main:#0b1220;--bad:#ffa8a8}}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{max-width:32rem;margin:2rem auto;padding:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem;overflow-wrap:anywhere}
h1{margin:0 0 1rem;font-size:1.4rem;line-height:1.25}
h2{margin:1.25rem 0 .25rem;font-size:1rem}
p,ul,dl{margin:.5rem 0}ul{padding-left:1.25rem}
dt{color:var(--quiet);margin-top:.5rem}dd{margin:0}
label{display:block;font-weight:600;margin:1rem 0 .25rem}
.hint{color:var(--quiet)}.bad{color:var(--bad);font-weight:600}
input[type=text]{width:100%;padding:.6rem;font:1.4rem/1.4 ui-monospace,monospace;letter-spacing:.1em;color:inherit;background:var(--back);border:1px solid var(--line);border-radius:.375rem}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
button,a.button{display:inline-block;min-height:2.75rem;padding:.55rem 1.1rem;font:inherit;font-weight:600;text-decoration:none;cursor:pointer;border:2px solid var(--main);border-radius:.375rem;background:var(--main);color:var(--on-main)}
button.second{background:transparent;color:var(--main)}
:focus-visible{outline:3px solid var(--main);outline-offset:3px}
li.choice{list-style:none;margin:.75rem 0}ul.choices{padding:0}
code{font-family:ui-monospace,monospace}
`;
const styleHash = createHash("sha256").update(style).digest("base64");

export interface Page {
  readonly status?: number;
  readonly title: string;
  readonly body: Html;
  /** Where the forms of the page may lead, in addition to this platform: a source of a Content-Security-Policy. */
  readonly formTarget?: string;
  /** The header Set-Cookie. */
  readonly cookie?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** No page of a login is cached, framed, or named to another site; none runs a script or loads anything. */
function headersOf({ formTarget = "", cookie, headers }: Pick<Page, "formTarget" | "cookie" | "headers">) {
  const formAction = `form-action 'self' ${formTarget}`.trim();
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'; ${formAction}`,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    ...privateHeaders,
    ...(cookie === undefined ? {} : { "set-cookie": cookie }),
    ...headers,
  };
}

const privateHeaders = { "cache-control": "no-store", "referrer-policy": "no-referrer" };

export function pageResponse({ status = 200, title, body, ...rest }: Page): WholeResponse {
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
`.text;
  return {
    status,
    headers: headersOf(rest),
    // The hash of the policy is that of the style without a change, so it is not escaped.
    body: `${text}<style>${style}</style>\n</head>\n<body><main>\n<h1>${html`${title}`.text}</h1>\n${body.text}\n</main></body>\n</html>\n`,
  };
}

/** Sends the browser to another address, with GET. */
export function redirectResponse(location: string, cookie?: string): WholeResponse {
  return {
    status: 303,
    headers: { location, ...privateHeaders, ...(cookie === undefined ? {} : { "set-cookie": cookie }) },
    body: "",
  };
}
