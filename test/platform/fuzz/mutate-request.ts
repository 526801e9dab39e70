import { mutateJsonText, mutateValue, flipped } from "./mutate-json.ts";
import { oddText } from "./odd-values.ts";
import type { Random } from "./random.ts";
import { otherSpelling, type RestRequest } from "./rest-request.ts";
import type { WireRequest } from "./wire-request.ts";

type Query = readonly (readonly [name: string, value: string])[];

/** The request as it is written on the wire, as it is, or with up to three things changed in it. */
export function wireRequest(request: RestRequest, host: string, random: Random): WireRequest {
  const changes = random.weighted([
    [4, 0],
    [4, 1],
    [1, 2],
    [1, 3],
  ]);
  let { body, query } = request;
  for (let count = 0; count < changes; count++) {
    if (body !== undefined && random.chance(0.5)) body = mutateValue(body, random);
    else if (random.chance(0.5)) query = mutateQuery(query, request, random);
  }
  const headers = [["host", host] as const, ...request.headers];
  const asForm = request.operation.takesForms && random.chance(0.5);
  const content =
    body === undefined ? Buffer.alloc(0) : asForm ? formOf(body) : Buffer.from(JSON.stringify(body) ?? "");
  if (body !== undefined)
    headers.push(["content-type", asForm ? "application/x-www-form-urlencoded" : "application/json"]);
  let wire: WireRequest = {
    method: request.method,
    target: request.path + (query.length === 0 ? "" : `?${queryText(query, random)}`),
    headers,
    body: content,
    framing: { kind: body === undefined ? "none" : random.chance(0.9) ? "length" : "chunked" },
  };
  for (let count = 0; count < changes; count++) if (random.chance(0.4)) wire = mutateWire(wire, random);
  return wire;
}

function formOf(body: unknown): Buffer {
  const pairs = Object.entries(Object(body) as object).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [
      name,
      typeof one === "string" ? one : (JSON.stringify(one) ?? ""),
    ]),
  );
  return Buffer.from(pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&"));
}

function mutateQuery(query: Query, { operation }: RestRequest, random: Random): Query {
  const [first = ["page_size", "1"] as const] = query;
  switch (random.int(0, 7)) {
    case 0:
      return [...query, first];
    case 1:
      return [...query, [otherSpelling(first[0]), first[1]]];
    case 2:
      return [...query, [oddText(random), oddText(random)]];
    case 3:
      return [[first[0], oddText(random)], ...query.slice(1)];
    case 4:
      return [
        ...query,
        [
          "order_by",
          random.pick([
            "name desc",
            "name  desc",
            "uid,name",
            "NAME",
            "createTime",
            "name;drop",
            "desc",
            " name",
            "__proto__ desc",
            "verified",
          ]),
        ],
      ];
    case 5:
      return [
        ...query,
        [
          "updateMask",
          random.pick([
            "",
            ",",
            "*,name",
            "name.x",
            "uid",
            "claimMatch.claims.a",
            "claim_match.",
            ".",
            "__proto__",
            "name,,name",
            "oidc.oidc",
            "a".repeat(5_000),
          ]),
        ],
      ];
    case 6:
      return [
        ...query,
        [
          "page_token",
          first[0].startsWith("page") ? flipped(Buffer.from(first[1]), random).toString("latin1") : oddText(random),
        ],
      ];
    default: {
      const names = operation.query.map(({ name }) => name);
      return [...query, [names.length === 0 ? "uidp.ids" : random.pick(names), oddText(random)]];
    }
  }
}

function queryText(query: Query, random: Random): string {
  const text = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join(random.chance(0.98) ? "&" : ";");
  return random.chance(0.95)
    ? text
    : text.replace(/%../, random.pick(["%", "%zz", "%ff%fe", "%00", "%c0%af", "%ed%a0%80", "+"]));
}

/** As in a URL; lone surrogates, which have no bytes, as the bytes that they would have. */
function encoded(text: string): string {
  return text.isWellFormed()
    ? encodeURIComponent(text)
    : encodeURIComponent(text.toWellFormed()).replace("%EF%BF%BD", "%ed%a0%80");
}

/** What is beneath JSON and parameters: methods, paths, headers, bytes, framing. */
function mutateWire(wire: WireRequest, random: Random): WireRequest {
  const [path = "", query] = wire.target.split("?", 2);
  const withPath = (changed: string) => ({ ...wire, target: query === undefined ? changed : `${changed}?${query}` });
  const withHeader = (name: string, value: string) => ({
    ...wire,
    headers: [...wire.headers.filter(([one]) => one !== name), [name, value] as const],
  });
  switch (random.int(0, 12)) {
    case 0:
      return {
        ...wire,
        method: random.pick(["GET", "PUT", "HEAD", "OPTIONS", "TRACE", "PATCH", "DELETE", "POST", "PROPFIND", "LINK"]),
      };
    case 1:
      return withPath(
        path +
          random.pick([
            "/",
            "//",
            "/x",
            "%2f",
            "%",
            "%zz",
            "%00",
            ":batchCreate",
            "/..",
            "/../groups",
            "%ff",
            "/0123456789abcdef",
            ";a=b",
            "/%2e%2e",
          ]),
      );
    case 2:
      return withPath(
        path.replace(/[0-9a-f]{4}(?=[^/]*$)/, random.pick(["0000", "ABCD", "%61%62", "", "g", "%2F", "%ED%A0%80"])),
      );
    case 3:
      return withPath(path.replace(/\/[^/]*$/, ""));
    case 4:
      return withHeader(
        "content-type",
        random.pick([
          "text/plain",
          "application/xml",
          "application/json; charset=utf-16",
          "multipart/form-data",
          "application/x-www-form-urlencoded",
          "application/grpc",
          "application/connect+json",
          "",
          "a".repeat(1_000),
          "application/json, application/json",
        ]),
      );
    case 5:
      return withHeader(
        "authorization",
        random.pick([
          "",
          "Bearer",
          "Bearer ",
          "Basic YTpi",
          "bearer\tx",
          "Bearer a b",
          `Bearer ${"a".repeat(20_000)}`,
          "Bearer \u00e9",
          "Bearer eyJhbGciOiJub25lIn0.e30.",
        ]),
      );
    case 6:
      return withHeader(
        random.pick([
          "accept",
          "accept-encoding",
          "x-forwarded-for",
          "x-http-method-override",
          "content-encoding",
          "if-match",
          "range",
          "te",
          "connect-timeout-ms",
          "grpc-timeout",
        ]),
        random.pick(["gzip", "DELETE", "*", "0", "-1", "99999999999999999999", "1n", "\u00ff"]),
      );
    case 7:
      return {
        ...wire,
        body: mutateJsonText(wire.body.toString(), random),
        framing: wire.framing.kind === "none" ? { kind: "length" } : wire.framing,
      };
    case 8:
      return { ...wire, body: flipped(wire.body, random) };
    case 9:
      return {
        ...wire,
        body: Buffer.alloc(
          random.pick([1, 1_000, 100_000, 1_048_576, 1_048_577, 1_500_000]),
          random.pick(["a", "[", " ", "\0"]),
        ),
        framing: { kind: "length" },
      };
    case 10: {
      const length = wire.body.length + random.pick([-1, 1, 1_000_000]);
      const headers = random.pick<(readonly [string, string])[]>([
        [["content-length", String(length)]],
        [["content-length", "-1"]],
        [
          ["content-length", "1"],
          ["content-length", "2"],
        ],
        [
          ["content-length", "5"],
          ["transfer-encoding", "chunked"],
        ],
        [["transfer-encoding", "gzip, chunked"]],
        [["transfer-encoding", "chunked"]],
        [["content-length", "1e3"]],
        [
          ["expect", "100-continue"],
          ["content-length", String(wire.body.length)],
        ],
        [
          ["expect", "nonsense"],
          ["content-length", String(wire.body.length)],
        ],
        [
          ["connection", "upgrade"],
          ["upgrade", "h2c"],
          ["content-length", "0"],
        ],
      ]);
      return { ...wire, framing: { kind: "broken", headers } };
    }
    case 11: {
      const many = Array.from(
        { length: random.pick([50, 200, 3_000]) },
        (_, index) => [`x-many-${index}`, "a".repeat(20)] as const,
      );
      return { ...wire, headers: [...wire.headers, ...many] };
    }
    default:
      return {
        ...wire,
        headers: wire.headers.filter(([name]) => name !== random.pick(["authorization", "content-type"])),
      };
  }
}
