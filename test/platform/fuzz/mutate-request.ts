import { flipped, mutateValue } from "./mutate-json.ts";
import { mutateWire } from "./mutate-wire.ts";
import { oddText } from "./odd-values.ts";
import type { Random } from "./random.ts";
import { otherSpelling, type RestRequest } from "./rest-request.ts";
import type { WireRequest } from "./wire-request.ts";

type Query = readonly (readonly [name: string, value: string])[];

/** The request as on the wire, with up to three mutations. */
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

/** Percent-encodes a text. A lone surrogate becomes the bytes of its invalid UTF-8 encoding. */
function encoded(text: string): string {
  return text.isWellFormed()
    ? encodeURIComponent(text)
    : encodeURIComponent(text.toWellFormed()).replace("%EF%BF%BD", "%ed%a0%80");
}
