import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import * as z from "zod";
import {
  type Advisory,
  type AdvisoryEventSchema,
  AdvisorySchema,
  Severity_Type as SeverityType,
} from "../gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { FieldError } from "./load-error.ts";

const time = z.iso.datetime({ offset: true }).transform((value) => timestampFromMs(Date.parse(value)));
const severities = z.array(z.object({ type: z.string(), score: z.string().min(1) })).optional();

/** The part of the Open Source Vulnerability format (https://ossf.github.io/osv-schema/) that is converted to advisories. */
const osv = z.object({
  id: z.string().min(1),
  modified: time,
  published: time.optional(),
  withdrawn: time.nullish(),
  aliases: z.array(z.string().min(1)).nullish(),
  severity: severities,
  affected: z
    .array(
      z.object({
        package: z
          .object({ name: z.string().min(1), ecosystem: z.string().min(1), purl: z.string().optional() })
          .optional(),
        severity: severities,
        ranges: z
          .array(z.object({ type: z.string(), events: z.array(z.object({ fixed: z.string().min(1).optional() })) }))
          .nullish(),
      }),
    )
    .nullish(),
});

type Osv = z.output<typeof osv>;
type Affected = NonNullable<Osv["affected"]>[number];

const severityTypes: Readonly<{ [type: string]: SeverityType }> = {
  CVSS_V2: SeverityType.CVSS_V2,
  CVSS_V3: SeverityType.CVSS_V3,
  CVSS_V4: SeverityType.CVSS_V4,
};

export function isOsv(value: object): boolean {
  return "id" in value && "modified" in value;
}

/**
 * Converts an OSV document to one advisory for each affected package, which is both the artifact and the component. The
 * publication becomes a manual detection. Each version that ends a range becomes a fix at the time of the last
 * modification. A withdrawn document becomes a deleted advisory.
 * @throws FieldError
 */
export function advisoriesOfOsv(value: object): Advisory[] {
  const read = osv.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new FieldError(pathOf(issue?.path ?? []), issue?.message ?? "does not match the OSV format");
  }
  const document = read.data;
  // A package may occur several times, once for each of its branches.
  const packages = new Map<string, Affected[]>();
  for (const affected of document.affected ?? []) {
    const { name = "", ecosystem = "", purl } = affected.package ?? {};
    const key = JSON.stringify([name, ecosystem, architectureOf(purl)]);
    packages.set(key, [...(packages.get(key) ?? []), affected]);
  }
  return (packages.size === 0 ? [[]] : [...packages.values()]).map((affected) => advisoryOf(document, affected));
}

/** @param affected all entries of the document for one package */
function advisoryOf(document: Osv, affected: readonly Affected[]): Advisory {
  const { id, modified, published = modified, withdrawn, aliases } = document;
  const [first] = affected;
  const { name = "", ecosystem = "", purl } = first?.package ?? {};
  return create(AdvisorySchema, {
    advisoryId: id,
    aliases: aliases ?? [],
    createTime: published,
    updateTime: modified,
    ...(withdrawn ? { deleteTime: withdrawn } : {}),
    artifactName: name,
    artifactType: ecosystem,
    artifactArchitecture: architectureOf(purl),
    componentName: name,
    componentType: ecosystem,
    severities: (first?.severity ?? document.severity ?? []).flatMap(({ type, score }) => {
      const known = severityTypes[type];
      return known === undefined ? [] : [{ type: known, score }];
    }),
    events: [
      { createTime: published, type: { case: "detection", value: { type: { case: "manual", value: {} } } } },
      ...fixesOf(affected, modified),
    ],
  });
}

function fixesOf(affected: readonly Affected[], modified: Timestamp): MessageInitShape<typeof AdvisoryEventSchema>[] {
  const versions = affected
    .flatMap(({ ranges }) => ranges ?? [])
    // GIT ranges contain commits, not versions.
    .filter(({ type }) => type !== "GIT")
    .flatMap(({ events }) => events.flatMap(({ fixed }) => (fixed === undefined ? [] : [fixed])));
  return [...new Set(versions)].map((fixedVersion) => ({
    createTime: modified,
    type: { case: "fixed", value: { fixedVersion } },
  }));
}

/** The architecture, which is a qualifier of a package URL: `pkg:apk/alpine/curl?arch=x86_64`. */
function architectureOf(purl: string | undefined): string {
  const [, qualifiers = ""] = (purl ?? "").split(/[?#]/);
  return new URLSearchParams(qualifiers).get("arch") ?? "";
}

/** `affected[0].package.name` */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .slice(1);
}
