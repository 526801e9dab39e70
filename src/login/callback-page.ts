/** What the browser shows at the end of a login. */
export type CallbackPage = "received" | "refused" | "notExpected" | "linkUsed";

const texts: Readonly<Record<CallbackPage, { readonly title: string; readonly text: string }>> = {
  received: {
    title: "Continue in the terminal",
    text: "muster has received the response of the platform. You may close this window.",
  },
  refused: {
    title: "Not logged in",
    text: "The login was not completed. The terminal shows the reason. You may close this window.",
  },
  notExpected: {
    title: "Not expected",
    text: "This is not the response to the login that muster waits for. If you did not start a login, somebody else did: close this window.",
  },
  linkUsed: {
    title: "This link was used",
    text: "It opens the login once. Copy the address that the terminal shows into this browser.",
  },
};

/** Headers of every page: it runs no script, and its address, which contains the code, goes nowhere. */
export const callbackPageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  connection: "close",
} as const;

/** A page without script, which repeats nothing of the request. */
export function callbackPage(page: CallbackPage): string {
  const { title, text } = texts[page];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – muster</title>
<style>
:root { color-scheme: light dark }
body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 15vh auto; padding: 0 1rem }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`;
}
