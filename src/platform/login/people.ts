import { hash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { identities } from "../collections/identities.ts";
import { type PersonalClaims, personKey } from "../collections/person-key.ts";
import { roleBindings } from "../collections/role-bindings.ts";
import { newUidIn } from "../contract/uid.ts";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { type Identity, type Identity_Person, IdentitySchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { RoleBindingSchema } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { type Reader, statement, type Writer } from "../store/database.ts";
import type { Person } from "./login-request.ts";

const ofPerson = statement((db, p: { person: string }) =>
  db
    .selectFrom("identities")
    .select("uid")
    .where("person", "=", p.person)
    .orderBy("create_time")
    .orderBy("uid")
    .limit(1),
);

export function claimsOf({ issuer, subject }: Person, clientId: string): PersonalClaims {
  return { issuer, subject, audience: clientId };
}

/** The uid of the identity of a person in a group; of the oldest one if there are several. */
export async function findPerson(reader: Reader, group: string, claims: PersonalClaims): Promise<string | undefined> {
  return (await reader.first(ofPerson, { person: personKey(group, claims) }))?.uid;
}

/** Creates the identity of a person. @param uid of the identity, in the group of the provider */
export async function createPerson(
  tx: AuthoredWriter,
  uid: string,
  { issuer, subject, audience }: PersonalClaims,
): Promise<Identity> {
  const time = timestampFromMs(tx.now);
  const identity = create(IdentitySchema, {
    uid,
    name: `login-${hash("sha256", `${issuer}\0${subject}`, "hex").slice(0, 32)}`,
    description: "created at the first login",
    createTime: time,
    updateTime: time,
    lastSeenTime: time,
    relationship: {
      case: "claimMatch",
      value: {
        iss: { case: "issuer", value: issuer },
        sub: { case: "subject", value: subject },
        aud: { case: "audience", value: audience },
      },
    },
  });
  await identities.insert(tx, identity);
  return identity;
}

/** Replaces what is known about the person by what the provider vouched for at this login. */
export async function setPerson(
  tx: Writer,
  uid: string,
  person: Identity_Person | undefined,
  now: number,
): Promise<void> {
  const identity = await identities.find(tx, uid);
  if (identity === undefined) return;
  const before = identity.person;
  if (before?.name === person?.name && before?.email === person?.email) return;
  if (person === undefined) delete identity.person;
  else identity.person = person;
  await identities.update(new AuthoredWriter(tx, { kind: "platform" }, now), identity);
}

export async function bind(tx: AuthoredWriter, identity: string, role: string, group: string): Promise<void> {
  const createTime = timestampFromMs(tx.now);
  const uid = newUidIn(group);
  await roleBindings.insert(tx, create(RoleBindingSchema, { uid, identityUid: identity, roleUid: role, createTime }));
}
