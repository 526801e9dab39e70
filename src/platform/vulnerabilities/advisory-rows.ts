import { create } from "@bufbuild/protobuf";
import { hash } from "node:crypto";
import { toBinary } from "@bufbuild/protobuf";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { advisories } from "../collections/advisories.ts";
import {
  type Advisory,
  type AdvisoryEvent,
  AdvisoryEventSchema,
} from "../gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { type Reader, statement } from "../store/database.ts";

type Identity = {
  parent: string;
  advisoryId: string;
  artifactName: string;
  artifactType: string;
  artifactArchitecture: string;
  componentName: string;
  componentType: string;
  componentLocation: string;
};

const same = statement((db, p: Identity) =>
  db
    .selectFrom("advisories")
    .select("body")
    .where("advisory_id", "=", p.advisoryId)
    .where("parent", "=", p.parent)
    .where("artifact_name", "=", p.artifactName)
    .where("artifact_type", "=", p.artifactType)
    .where("artifact_architecture", "=", p.artifactArchitecture)
    .where("component_name", "=", p.componentName)
    .where("component_type", "=", p.componentType)
    .where("component_location", "=", p.componentLocation)
    .limit(1),
);
const addAlias = statement((db, p: { alias: string; uid: string }) =>
  db.insertInto("advisory_aliases").values({ alias: p.alias, advisory_uid: p.uid }),
);
const dropAlias = statement((db, p: { alias: string; uid: string }) =>
  db.deleteFrom("advisory_aliases").where("alias", "=", p.alias).where("advisory_uid", "=", p.uid),
);

/** The advisory in a group with the same id, artifact and component. One id may concern several of them. */
export async function sameAdvisory(reader: Reader, group: string, advisory: Advisory): Promise<Advisory | undefined> {
  const { advisoryId, artifactName, artifactType, artifactArchitecture } = advisory;
  const { componentName, componentType, componentLocation } = advisory;
  const row = await reader.first(same, {
    parent: group,
    advisoryId,
    artifactName,
    artifactType,
    artifactArchitecture,
    componentName,
    componentType,
    componentLocation,
  });
  return row === undefined ? undefined : advisories.parse(row.body);
}

/** Creates or replaces an advisory with its aliases. */
export async function putAdvisory(
  writer: AuthoredWriter,
  advisory: Advisory,
  before: Advisory | undefined,
): Promise<void> {
  const { uid } = advisory;
  const [wanted, known] = [new Set(advisory.aliases), new Set(before?.aliases)];
  await (before === undefined ? advisories.insert(writer, advisory) : advisories.update(writer, advisory));
  for (const alias of known) if (!wanted.has(alias)) await writer.run(dropAlias, { alias, uid });
  for (const alias of wanted) if (!known.has(alias)) await writer.run(addAlias, { alias, uid });
}

/** The uid of an event is derived from its content, so that loading an advisory again keeps the uids of its events. */
export function eventUidIn(advisoryUid: string, event: AdvisoryEvent): string {
  const content = toBinary(AdvisoryEventSchema, create(AdvisoryEventSchema, { ...event, uid: "" }));
  return `${advisoryUid}/${hash("sha256", content, "hex").slice(0, 16)}`;
}
