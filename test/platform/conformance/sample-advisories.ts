/** A time on a day of January. */
const day = (number: number) => `2026-01-${String(number).padStart(2, "0")}T08:00:00.000Z`;

const scan = { scanner: "grype", scannerVersion: "0.87.0", component: "axios", componentVersion: "1.7.9" };

/** One event of each type except detection. */
const findings = [
  { truePositiveDetermination: { note: "it is called" } },
  { fixed: { fixedVersion: "1.2.3", note: "rebuilt" } },
  { falsePositiveDetermination: { type: "TYPE_VULNERABLE_CODE_NOT_IN_EXECUTION_PATH", note: "never started" } },
  { analysisNotPlanned: { note: "end of life" } },
  { fixNotPlanned: { note: "end of life" } },
  { pendingUpstreamFix: { note: "waits for a release" } },
  { patched: { patchedVersions: ["1.2", "1.3"], note: "backported" } },
];

const detections = [
  { scanv1: { ...scan, componentLocation: "app/node_modules/axios" } },
  { nvdapi: { cpeSearched: "cpe:2.3:a:axios:axios:*", cpeFound: "cpe:2.3:a:axios:axios:1.7.9" } },
  { manual: {} },
];

const rated = {
  severities: [
    { type: "TYPE_CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" },
    { type: "TYPE_CVSS_V4", score: "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N" },
  ],
};

/**
 * Documents for `muster platform load`. Together they have every field and every type of event: the suite cannot create
 * advisories, because the API has no method for it.
 */
export const sampleAdvisories: readonly object[] = findings.map((finding, index) => ({
  kind: "Advisory",
  advisoryId: `SAMPLE-${index}`,
  aliases: [`CVE-2026-000${index}`, `GHSA-${index % 2 === 0 ? "even" : "odd"}`],
  author: "mia",
  artifactName: index < 4 ? "checkout" : "storefront",
  artifactType: index < 6 ? "oci" : "npm",
  artifactArchitecture: index % 2 === 0 ? "x86_64" : "aarch64",
  componentName: index % 3 === 0 ? "axios" : "glibc",
  componentType: index % 3 === 0 ? "npm" : "deb",
  componentLocation: index % 3 === 0 ? "app/node_modules/axios" : "usr/lib/libc.so",
  createTime: day(1 + index),
  updateTime: day(20 - index),
  ...(index === 0 ? { legacyAdvisoryId: "OLD-0", ...rated } : {}),
  ...(index === 1 ? { deleteTime: day(28) } : {}),
  events: [
    // Out of order: the latest event is the one with the latest time, not the last of the list.
    { createTime: day(10), author: "jonas", reviewer: "mia", reviewState: "REVIEW_STATE_APPROVED", ...finding },
    { createTime: day(2), detection: detections[index % detections.length] },
  ],
}));
