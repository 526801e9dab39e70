import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { isUid } from "../contract/uid.ts";
import { ApiError } from "../errors/api-error.ts";
import { type Repo, RepoSchema } from "../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { type Tag, TagSchema } from "../gen/muster/platform/registry/v2beta1/tag_pb.ts";
import { type Advisory, AdvisorySchema } from "../gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { readJson } from "../json/read-json.ts";
import { checkRepo, checkTag } from "../registry/registry-rules.ts";
import { checkAdvisory } from "../vulnerabilities/advisory-rules.ts";
import { DocumentError, FieldError } from "./load-error.ts";
import { advisoriesOfOsv, isOsv } from "./osv.ts";
import type { SourceDocument } from "./source-file.ts";

/** A resource in a document. Without a group, it belongs to the default group of the load. */
export type LoadRecord =
  | { readonly kind: "Repo"; readonly group: string | undefined; readonly repo: Repo }
  | {
      readonly kind: "Tag";
      readonly group: string | undefined;
      /** The name or the uid of the repo. */
      readonly in: string;
      readonly tag: Tag;
    }
  | { readonly kind: "Advisory"; readonly group: string | undefined; readonly advisory: Advisory };

type Fields = { readonly [name: string]: unknown };

/**
 * Reads a document with `kind` (Repo, Tag or Advisory), `group` (a uid), `repo` for a tag, and the fields of the contract;
 * or an OSV document. It checks everything that can be checked without the database.
 * @returns one record, or for an OSV document one for each affected package
 * @throws DocumentError that names the field
 */
export function readRecords({ location, value }: SourceDocument): LoadRecord[] {
  try {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new DocumentError(location, undefined, "must be an object");
    return recordsOf(value as Fields);
  } catch (error) {
    if (error instanceof ApiError && error.detail?.kind === "badRequest")
      throw new DocumentError(location, error.detail.field, error.detail.description);
    if (error instanceof FieldError) throw new DocumentError(location, error.field, error.message);
    throw error;
  }
}

function recordsOf(value: Fields): LoadRecord[] {
  const { kind, group: givenGroup, repo: givenRepo, ...fields } = value;
  const group = givenGroup === undefined ? undefined : text("group", givenGroup);
  if (group !== undefined && !isUid(group)) throw new FieldError("group", "must be the uid of a group");
  switch (kind) {
    case "Repo": {
      reject("repo", givenRepo);
      const repo = read(RepoSchema, fields);
      checkRepo(repo);
      return [{ kind, group, repo }];
    }
    case "Tag": {
      if (givenRepo === undefined) throw new FieldError("repo", "is required: the name or uid of a repo");
      const tag = read(TagSchema, fields);
      checkTag(tag);
      return [{ kind, group, in: text("repo", givenRepo), tag }];
    }
    case "Advisory": {
      reject("repo", givenRepo);
      const advisory = read(AdvisorySchema, fields);
      checkAdvisory(advisory);
      return [{ kind, group, advisory }];
    }
    case undefined:
      if (!isOsv(value)) break;
      return advisoriesOfOsv(value).map((advisory) => {
        checkAdvisory(advisory);
        return { kind: "Advisory", group: undefined, advisory };
      });
    default:
  }
  throw new FieldError(
    "kind",
    "must be Repo, Tag or Advisory; only OSV documents, which have id and modified, do not need it",
  );
}

function read<D extends DescMessage>(desc: D, fields: Fields): MessageShape<D> {
  return readJson(desc, fields, { unknownFields: "refuse" }).message as MessageShape<D>;
}

function text(field: string, value: unknown): string {
  if (typeof value !== "string" || value === "") throw new FieldError(field, "must be a non-empty string");
  return value;
}

function reject(field: string, value: unknown): void {
  if (value !== undefined) throw new FieldError(field, "unknown field");
}
