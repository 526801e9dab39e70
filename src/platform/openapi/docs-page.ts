import type { OpenApiDocument, OpenApiOperation, Schema } from "./schema.ts";

/** The look of the page: the reader's own fonts, light or dark as the reader has it. */
const docsStyle = `
:root{--ground:#fff;--raised:#f5f6f8;--line:#d9dce1;--text:#1b1f24;--quiet:#59636e;--link:#0a58ca}
@media(prefers-color-scheme:dark){:root{--ground:#14171b;--raised:#1d2126;--line:#343a42;--text:#e3e6ea;--quiet:#9aa4af;--link:#7db4ff}}
*{box-sizing:border-box}
body{margin:0;display:grid;grid-template-columns:15rem minmax(0,1fr);background:var(--ground);color:var(--text);font:16px/1.55 system-ui,sans-serif}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem;border-right:1px solid var(--line);background:var(--raised)}
nav ul{list-style:none;margin:1rem 0 0;padding:0}nav li{margin:.35rem 0}
main{max-width:64rem;padding:1.5rem 2.5rem 6rem}
h1{margin-top:0}h1 small{color:var(--quiet);font-weight:400}h2{margin:2.5rem 0 .75rem}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
code{font:.875em ui-monospace,monospace;overflow-wrap:anywhere}
details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:0 1rem}
details:target{border-color:var(--link)}
summary{cursor:pointer;padding:.6rem 0}summary span{color:var(--quiet);float:right}
details.values{border:0;margin:0;padding:0}details.values summary{padding:0}
.method{display:inline-block;min-width:4.5rem;margin-right:.5rem;padding:.1rem .5rem;border-radius:.35rem;text-align:center;font-size:.75rem;color:#fff;background:#5a6472}
.method.get{background:#1c6b45}.method.post{background:#1858a8}.method.patch,.method.put{background:#8a5a00}.method.delete{background:#a82a2a}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;margin:.25rem 0 .75rem}
th,td{border-top:1px solid var(--line);padding:.4rem .75rem .4rem 0;text-align:left;vertical-align:top}th{font-weight:400}
td i{color:var(--quiet);margin-right:.35rem}
@media(max-width:48rem){body{display:block}nav{position:static;height:auto;border:0;border-bottom:1px solid var(--line)}main{padding:1.5rem 1rem 4rem}summary span{float:none;display:block}}
`;

/** Renders an OpenAPI document as an HTML page without scripts, images or external resources. */
export function docsPage(document: OpenApiDocument): string {
  const { info, servers, tags, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const sections = tags.map(({ name, description }) => {
    const tagged = operations.filter(({ operation }) => operation.tags.includes(name));
    const list = tagged.map(({ method, path, operation }) => operationHtml(method, path, operation)).join("");
    return `<section id="${name}"><h2>${escaped(titleOf(name))}</h2>${paragraph(description)}${list}</section>`;
  });
  const schemas = Object.entries(components.schemas).map(([name, schema]) => schemaHtml(name, schema));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escaped(info.title)} ${escaped(info.version)}</title>
<style>${docsStyle}</style></head><body>
<nav aria-label="Contents"><strong>${escaped(info.title)}</strong><ul>${tags
    .map(({ name }) => `<li><a href="#${name}">${escaped(titleOf(name))}</a></li>`)
    .join("")}<li><a href="#schemas">Messages</a></li><li><a href="/openapi.json">openapi.json</a></li></ul></nav>
<main><h1>${escaped(info.title)} <small>${escaped(info.version)}</small></h1>${paragraph(info.description)}
<p>Address: <code>${escaped(servers[0]?.url ?? "")}</code>. Every call but the token exchange sends
<code>Authorization: Bearer TOKEN</code>.</p>
${sections.join("\n")}
<section id="schemas"><h2>Messages</h2>${schemas.join("\n")}</section></main></body></html>
`;
}

/** `RoleBindingsService` as `Role bindings`. The names of v1 services lack the last word. */
function titleOf(service: string): string {
  const words = service.replace(/Service$/, "").replace(/(?!^)([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return service.endsWith("Service") ? words : `${words} (v1)`;
}

function operationHtml(method: string, path: string, operation: OpenApiOperation): string {
  const parameters = operation.parameters.map(({ name, in: where, schema, description, required }) =>
    row(name, typeHtml(schema), [required ? "required" : "", where], description),
  );
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const required = body?.required === undefined ? "" : `, with ${body.required.map(code).join(", ")}`;
  const response = operation.responses["200"];
  const content =
    response !== undefined && "content" in response ? Object.values(response.content ?? {})[0]?.schema : undefined;
  return `<details id="${operation.operationId}"><summary><b class="method ${method}">${method.toUpperCase()}</b>
<code>${escaped(path)}</code> <span>${escaped(operation.operationId.replace(/^[^_]*_/, ""))}</span></summary>
${paragraph(operation.description)}${table(parameters)}
${body === undefined ? "" : `<p>Body: ${typeHtml(body)}${required}.</p>`}
<p>Response: ${content === undefined ? "no body" : typeHtml(content)}.</p></details>`;
}

function schemaHtml(name: string, { description, properties = {} }: Schema): string {
  const rows = Object.entries(properties).map(([field, schema]) =>
    row(
      field,
      typeHtml(schema),
      [schema.readOnly ? "set by the platform" : "", schema.writeOnly ? "never in a response" : ""],
      schema.description,
    ),
  );
  return `<details id="schema-${name}"><summary><code>${escaped(name)}</code></summary>${paragraph(description)}${table(rows)}</details>`;
}

function typeHtml({ $ref, anyOf, type, format, enum: values, items, additionalProperties, pattern }: Schema): string {
  if (anyOf !== undefined) return typeHtml(anyOf[0]);
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return `<a href="#schema-${name}">${escaped(name)}</a>`;
  }
  if (items !== undefined) return `list of ${typeHtml(items)}`;
  if (typeof additionalProperties === "object") return `map of ${typeHtml(additionalProperties)}`;
  if (values !== undefined) {
    const names = values.filter((value) => typeof value === "string");
    const listed = names.map(code).join(" ");
    return names.length > 12
      ? `<details class="values"><summary>one of ${names.length}</summary>${listed}</details>`
      : `one of ${listed}`;
  }
  return escaped([typeof type === "object" ? type[0] : type, format ?? pattern].filter(Boolean).join(" "));
}

function row(name: string, type: string, notes: readonly string[], description: string | undefined): string {
  const said = notes.filter(Boolean).map((note) => `<i>${escaped(note)}</i>`);
  return `<tr><th scope="row"><code>${escaped(name)}</code></th><td>${type}</td><td>${[...said, prose(description ?? "")].join(" ")}</td></tr>`;
}

function table(rows: readonly string[]): string {
  return rows.length === 0 ? "" : `<div class="scroll"><table>${rows.join("")}</table></div>`;
}

function paragraph(text: string | undefined): string {
  return text === undefined ? "" : `<p>${prose(text)}</p>`;
}

/** Renders code in comments, which is marked up as in Markdown. */
function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function code(value: string | number): string {
  return `<code>${escaped(String(value))}</code>`;
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
