import type { DescOneof } from "@bufbuild/protobuf";

/** The oneofs of which one member is required on create. `google.api.field_behavior` has no annotation for them. */
const required: ReadonlySet<string> = new Set([
  "muster.platform.iam.v2beta1.Identity.relationship",
  "muster.platform.iam.v2beta1.Identity.ClaimMatch.iss",
  "muster.platform.iam.v2beta1.Identity.ClaimMatch.sub",
  "muster.platform.iam.v2beta1.Identity.AWSIdentity.aws_arn",
  "muster.platform.iam.v2beta1.Identity.AWSIdentity.aws_user_id",
  "muster.platform.iam.v2beta1.IdentityProvider.configuration",
]);

/** Whether one of its members is required on create. */
export function isOneofRequired({ parent, name }: DescOneof): boolean {
  return required.has(`${parent.typeName}.${name}`);
}
