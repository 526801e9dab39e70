import { checkDescription, checkName } from "../contract/check-text.ts";
import { digestRule, fits } from "../contract/text-rule.ts";
import { invalidArgument } from "../errors/api-error.ts";
import type { Repo } from "../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import type { Tag } from "../gen/muster/platform/registry/v2beta1/tag_pb.ts";

/** @throws ApiError (3) that names the field */
export function checkRepo({ name, description }: Repo): void {
  checkName(name);
  checkDescription(description);
}

/** @throws ApiError (3) that names the field */
export function checkTag({ name, digest }: Tag): void {
  checkName(name);
  if (digest === "") throw invalidArgument("digest", "is required");
  if (!fits(digestRule, digest))
    throw invalidArgument("digest", 'must be a digest, such as "sha256:" followed by 64 hex digits');
}
