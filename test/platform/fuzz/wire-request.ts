/** An HTTP/1.1 request as on the wire. Any part of it may be invalid. */
export interface WireRequest {
  readonly method: string;
  /** The path and the query, encoded. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly framing: Framing;
}

/**
 * How the server finds the end of the body: by its length, or by chunks; `none` has no body. The headers of `broken`
 * contradict the body, so the server may close the connection without a response.
 */
type Framing =
  | { readonly kind: "length" }
  | { readonly kind: "chunked" }
  | { readonly kind: "none" }
  | { readonly kind: "broken"; readonly headers: readonly (readonly [name: string, value: string])[] };

/** Whether the server can find the end of the request. */
export function isWellFramed({ framing }: WireRequest): boolean {
  return framing.kind !== "broken";
}

export function bytesOf(request: WireRequest): Buffer {
  const { method, target, headers, body, framing } = request;
  const head = [...headers, ...framingHeaders(request)].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n`, "latin1"),
    framing.kind === "chunked" ? chunked(body) : body,
  ]);
}

function framingHeaders({ framing, body }: WireRequest): readonly (readonly [name: string, value: string])[] {
  switch (framing.kind) {
    case "length":
      return [["content-length", String(body.length)]];
    case "chunked":
      return [["transfer-encoding", "chunked"]];
    case "none":
      return [];
    case "broken":
      return framing.headers;
  }
}

function chunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += 700) {
    const chunk = body.subarray(at, at + 700);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/**
 * A shell command that sends the request. Variables stand for the secrets.
 * @param url the platform's base URL
 */
export function shellLineOf(request: WireRequest, url: string, secrets: ReadonlyMap<string, string>): string {
  const { method, target, headers, body, framing } = request;
  const hidden = (text: string) =>
    [...secrets].reduce((all, [secret, name]) => all.replaceAll(secret, `$${name}`), text);
  const isPlain =
    framing.kind !== "broken" && !/[^!-~]/.test(target) && target.startsWith("/") && target.length < 2_000;
  if (!isPlain || headers.some(([name, value]) => /[^ -~]/.test(name + value)) || body.length > 20_000) {
    const { host, port } = new URL(url.replace(/^http:/, "ws:"));
    const bytes = Buffer.from(hidden(bytesOf(request).toString("latin1")), "latin1").toString("base64");
    return `base64 -d <<<${bytes.length > 4_000 ? `${bytes.slice(0, 4_000)}…` : bytes} | nc ${host.replace(/:\d+$/, "")} ${port}`;
  }
  const sent = headers
    .filter(([name]) => !/^(host)$/i.test(name))
    .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  if (framing.kind === "chunked") sent.push("-H 'transfer-encoding: chunked'");
  const data = body.length === 0 ? [] : [`--data-binary ${quotedBytes(body)}`];
  return hidden(["curl -i --path-as-is -g -X", method, ...sent, ...data, quoted(url + target)].join(" "));
}

function quoted(text: string): string {
  // Double quotes let the shell replace the variables of the secrets.
  return `"${text.replace(/[\\"`]/g, "\\$&")}"`;
}

function quotedBytes(bytes: Buffer): string {
  let text = "";
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    text += /[ -&(-[\]-~]/.test(character) ? character : `\\x${byte.toString(16).padStart(2, "0")}`;
  }
  return `$'${text}'`;
}
