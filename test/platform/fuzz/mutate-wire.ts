import { flipped, mutateJsonText } from "./mutate-json.ts";
import type { Random } from "./random.ts";
import type { WireRequest } from "./wire-request.ts";

/** Changes the method, path, headers, bytes or framing of a request. */
export function mutateWire(wire: WireRequest, random: Random): WireRequest {
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
