import { groups } from "./collections/groups.ts";
import { identities, issuerOf, subjectOf } from "./collections/identities.ts";
import type { Identity } from "./gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { grantsWithRole } from "./iam/role-binding-rows.ts";
import type { InitFile, InitIdentity } from "./init-file.ts";
import type { Reader } from "./store/database.ts";

/** A field of the init file whose value in the database is another one. */
export interface InitDifference {
  /** The path of the field in the file: `identities[0].subject`. */
  readonly field: string;
  readonly file: string;
  /** Undefined if the database has no such value. */
  readonly database: string | undefined;
}

/** Compares an init file with a database. @param rootGroup the uid of the database's first root group */
export async function compareInitFile(
  reader: Reader,
  { rootGroup, identities: declared }: InitFile,
  rootGroupUid: string,
): Promise<readonly InitDifference[]> {
  const group = await groups.find(reader, rootGroupUid);
  const differences = [
    ...different("rootGroup.uid", rootGroup.uid, rootGroupUid),
    ...different("rootGroup.name", rootGroup.name, group?.name),
  ];
  for (const [index, identity] of declared.entries())
    differences.push(...(await compareIdentity(reader, identity, rootGroup.uid, `identities[${index}]`)));
  return differences;
}

async function compareIdentity(
  reader: Reader,
  declared: InitIdentity,
  group: string,
  at: string,
): Promise<readonly InitDifference[]> {
  const found = await identities.find(reader, declared.uid);
  if (found === undefined) return different(`${at}.uid`, declared.uid, undefined);
  const bound = await grantsWithRole(reader, group, declared.uid, declared.role.uid);
  const { iss, sub, aud } = declared.claimMatch;
  return [
    ...different(`${at}.name`, declared.name, found.name),
    ...different(`${at}.description`, declared.description, found.description),
    ...different(`${at}.issuer`, iss.value ?? "", issuerOf(found)),
    ...different(`${at}.subject`, sub.value ?? "", subjectOf(found)),
    ...different(`${at}.audience`, aud.value ?? "", audienceOf(found)),
    ...different(`${at}.role`, declared.role.name, bound ? declared.role.name : undefined),
  ];
}

/** The audience that an identity with a claim match names; empty for the default one, undefined for a pattern. */
function audienceOf({ relationship }: Identity): string | undefined {
  if (relationship.case !== "claimMatch") return undefined;
  const { aud } = relationship.value;
  return aud.case === "audiencePattern" ? undefined : (aud.value ?? "");
}

function different(field: string, file: string, database: string | undefined): readonly InitDifference[] {
  return file === database ? [] : [{ field, file, database }];
}
