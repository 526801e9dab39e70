import { readFileSync } from "node:fs";

/** Which program runs. */
export interface BuildInfo {
  /** As in package.json: `0.1.0`. */
  readonly version: string;
  /** The commit that the bundle was built from; `unknown` if the build was not told, and where the sources run. */
  readonly commit: string;
}

/** `scripts/build.ts` replaces these names in the bundle, which has no package.json next to it. */
declare const MUSTER_BUILD_VERSION: string | undefined;
declare const MUSTER_BUILD_COMMIT: string | undefined;

export const buildInfo: BuildInfo = {
  version: typeof MUSTER_BUILD_VERSION === "string" ? MUSTER_BUILD_VERSION : versionOfPackage(),
  commit: typeof MUSTER_BUILD_COMMIT === "string" ? MUSTER_BUILD_COMMIT : "unknown",
};

function versionOfPackage(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return (manifest as { readonly version: string }).version;
}
