import { type DescMessage, equals, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { ApiError } from "#src/platform/errors/api-error.ts";
import { parseFaultRule } from "#src/platform/faults/fault-rule.ts";
import { RepoSchema } from "#src/platform/gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { TagSchema } from "#src/platform/gen/muster/platform/registry/v2beta1/tag_pb.ts";
import { AdvisorySchema } from "#src/platform/gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { DocumentError } from "#src/platform/load/load-error.ts";
import { readRecords } from "#src/platform/load/record.ts";
import { documentsOf } from "#src/platform/load/source-file.ts";
import { PageTokens } from "#src/platform/resources/page-token.ts";
import { readSubjectToken } from "#src/platform/tokens/subject-token.ts";
import { parseJwks } from "#src/platform/tokens/jwks.ts";
import { compilePattern } from "#src/platform/tokens/pattern.ts";
import { flipped, mutateJsonText, mutateValue } from "./mutate-json.ts";
import { oddText } from "./odd-values.ts";
import type { Random } from "./random.ts";

/** A decoder of the platform with a source of inputs. */
interface Decoder {
  readonly name: string;
  /** An input that is almost valid. */
  readonly draw: (random: Random) => string | Buffer;
  /** @returns a problem. Any error that it throws is one too. */
  readonly decode: (input: string | Buffer) => string | undefined;
}

/** The decoders of the platform. @param folder for the files that the loader reads */
export function decodersIn(folder: string): Decoder[] {
  const documents = sampleDocuments();
  const load = (format: "yaml" | "json", text: string | Buffer) => {
    const path = join(folder, `file.${format}`);
    writeFileSync(path, text);
    for (const document of documentsOf({ path, format, bytes: text.length }, () => {}))
      if (!(document instanceof DocumentError)) {
        const problem = roundTripProblem(document);
        if (problem !== undefined) return problem;
      }
    return undefined;
  };
  return [
    {
      name: "JSON loader",
      draw: (random) => {
        const value = mutateValue(random.pick(documents), random);
        const json = JSON.stringify(value) ?? "";
        return random.chance(0.6) ? json : mutateJsonText(json, random);
      },
      decode: (text) => load("json", text),
    },
    {
      name: "YAML loader",
      draw: (random) => {
        if (random.chance(0.1)) return random.pick(oddYaml);
        const text = yamlOf(mutateValue(random.pick(documents), random));
        return random.chance(0.6) ? text : flipped(Buffer.from(text), random);
      },
      decode: (text) => load("yaml", text),
    },
    {
      name: "fault rule",
      draw: (random) =>
        Array.from({ length: random.int(1, 5) }, () =>
          random.pick([
            "method=",
            "share=0.5",
            "count=3",
            "latency=10ms",
            "code=14",
            "reset",
            "applied",
            "truncate",
            "code=99",
            "method=*".repeat(50),
            oddText(random),
          ]),
        ).join(","),
      decode: (text) =>
        unlessThrown(
          () => parseFaultRule(text.toString()),
          (error) => error.constructor === Error,
        ),
    },
    {
      name: "JWKS",
      draw: (random) =>
        mutateJsonText(JSON.stringify(mutateValue({ keys: [{ kty: "EC", kid: "a" }] }, random)) ?? "", random),
      decode: (text) => void parseJwks(text.toString()),
    },
    {
      name: "pattern",
      draw: (random) => Array.from({ length: random.int(1, 6) }, () => random.pick(patternParts)).join(""),
      decode: (text) => {
        const pattern = compilePattern(text.toString());
        if (pattern.kind === "pattern") pattern.matches("a".repeat(5_000));
      },
    },
    {
      name: "subject token",
      draw: (random) => {
        const part = () =>
          mutateJsonText(
            JSON.stringify(mutateValue({ alg: "ES256", iss: "a", sub: "b", exp: 1 }, random)) ?? "",
            random,
          );
        return `${part().toString("base64url")}.${part().toString("base64url")}.${random.bytes(8).toString("base64url")}`;
      },
      decode: (text) =>
        unlessThrown(
          () => readSubjectToken(text.toString()),
          (error) => error instanceof ApiError,
        ),
    },
    {
      name: "page token",
      draw: (random) => {
        const token = pageTokens.issue(
          "query",
          { sort: oddText(random).toWellFormed(), uid: "u" },
          random.int(0, 2 ** 40),
        );
        return random.chance(0.2) ? token : flipped(Buffer.from(token), random).toString("latin1");
      },
      decode: (text) =>
        unlessThrown(
          () => pageTokens.read(text.toString(), "query", 2 ** 40),
          (error) => error instanceof ApiError,
        ),
    },
  ];
}

const pageTokens = new PageTokens(new Uint8Array(32));

const patternParts = [
  "a",
  ".*",
  "(a|b)",
  "(a+)+",
  "{1000}",
  "{100}",
  "[^a]",
  "\\pL",
  "(?i)",
  "(",
  ")",
  "(?P<n>",
  "\\b",
  "$",
  "^",
  "|",
  "\\Q",
  "(?:x{50}){50}",
  "[[:alpha:]]",
  "\\x{10FFFF}",
  "+",
  "*?",
];

const oddYaml = [
  // Each alias doubles the size of the one before.
  `a: &a [x]\n${Array.from({ length: 30 }, (_, level) => `b${level}: &b${level} [*${level === 0 ? "a" : `b${level - 1}`}, *${level === 0 ? "a" : `b${level - 1}`}]`).join("\n")}\nkind: Repo\n`,
  "a: &a [*a]\n",
  "--- !!js/function x\n",
  "kind: Repo\nname: 0777\n",
  "kind: Repo\n<<: {name: a}\n",
  "? {a: b}\n: c\n",
  "%YAML 9.9\n---\nkind: Repo\n",
  `${"[".repeat(5_000)}\n`,
  `${"- ".repeat(5_000)}\n`,
  `${"a: {".repeat(2_000)}\n`,
  "kind: Repo\nname: !!binary gA==\n",
  "kind: Repo\n__proto__: {name: a}\n",
  "\ufeffkind: Repo\nname: a\n",
  "kind: Repo\nname: .nan\n",
  "kind: Tag\nrepo: 2026-01-01\n",
];

/** YAML; or JSON, which is YAML too, if the value is nested too deeply for the library. */
function yamlOf(value: unknown): string {
  try {
    return stringify(value);
  } catch {
    return JSON.stringify(value) ?? "";
  }
}

/** The documents of the examples. */
function sampleDocuments(): unknown[] {
  const examples = join(import.meta.dirname, "../../../examples/platform");
  return readdirSync(examples).flatMap((name) => {
    const text = readFileSync(join(examples, name), "utf8");
    return name.endsWith(".json")
      ? [JSON.parse(text) as unknown]
      : text.split(/^---$/m).map((document) => parse(document) as unknown);
  });
}

/** A record must stay the same when it is written to the database and read again. */
function roundTripProblem(document: Parameters<typeof readRecords>[0]): string | undefined {
  try {
    for (const record of readRecords(document)) {
      if (record.kind === "Repo" && !survives(RepoSchema, record.repo)) return "the repo changes when it is stored";
      if (record.kind === "Tag" && !survives(TagSchema, record.tag)) return "the tag changes when it is stored";
      if (record.kind === "Advisory" && !survives(AdvisorySchema, record.advisory))
        return "the advisory changes when it is stored";
    }
    return undefined;
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}

function survives<D extends DescMessage>(desc: D, message: MessageShape<D>): boolean {
  return equals(desc, message, fromBinary(desc, toBinary(desc, message)));
}

function unlessThrown(decode: () => unknown, isExpected: (error: Error) => boolean): string | undefined {
  try {
    decode();
  } catch (error) {
    if (!(error instanceof Error) || !isExpected(error)) throw error;
  }
  return undefined;
}
