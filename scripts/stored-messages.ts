import { spawnSync } from "node:child_process";
import { stringify } from "yaml";
import { collections } from "#src/platform/collections/collections.ts";
import { RelationshipTypeSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { EventTypeFilterSchema } from "#src/platform/gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";

interface Image {
  readonly file: readonly { readonly name: string; readonly dependency?: readonly string[] }[];
}

/** Enums that are stored in columns, by number, and in no message. */
const columns = [RelationshipTypeSchema, EventTypeFilterSchema];

/**
 * The messages that the platform stores: the bodies of all collections, which audit records also contain as JSON, and what these
 * refer to.
 */
const stored = [...collections.map(({ description }) => description.schema), ...columns].map(
  ({ typeName }) => typeName,
);

/** Numbers, names in JSON, types and cardinalities: what is stored is read by them. */
const rules = JSON.stringify({ version: "v2", modules: [{ path: "proto" }], breaking: { use: ["WIRE_JSON"] } });

/** The files of the options that are not protobuf's own. Like those, they have no effect on what is stored. */
const optionFiles = /^google\/(api\/|protobuf\/descriptor\.proto$)/;

/** The descriptors of the stored messages, without comments and such options, as YAML. @throws {Error} if `proto/` is invalid */
export function storedMessages(): string {
  const types = stored.flatMap((name) => ["--type", name]);
  const args = ["build", "--config", rules, "--exclude-source-info", ...types, "--output", "-#format=json"];
  const { status, stdout, stderr } = buf(args);
  if (status !== 0) throw new Error(`buf build failed: ${stderr}`);
  const image = JSON.parse(stdout, (key, value: unknown) => (key.startsWith("[") ? undefined : value)) as Image;
  const file = image.file
    .filter(({ name }) => !optionFiles.test(name))
    .map(({ dependency = [], ...rest }) => ({
      ...rest,
      dependency: dependency.filter((name) => !optionFiles.test(name)),
    }));
  return stringify({ file });
}

/**
 * The changes that give stored messages another meaning, one a line; empty if there are none. Fields and values may be added,
 * and removed if their number and name are reserved.
 * @param folder that has `proto/`
 * @param image the file with the descriptors that were committed, whose name ends with `.yaml`
 * @throws {Error} if the comparison fails
 */
export function changedMeanings(folder: string, image: string): string {
  const { status, stdout, stderr } = buf(["breaking", folder, "--config", rules, "--against", image]);
  if (status !== 0 && stdout === "") throw new Error(`buf breaking failed: ${stderr}`);
  return stdout;
}

function buf(args: readonly string[]) {
  return spawnSync("buf", args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}
