import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { conditionOf, isReady } from "#test/support/harness/muster-objects.ts";
import { issuedIn } from "#test/support/harness/secret-objects.ts";
import type { Findings } from "./findings.ts";
import type { Journal } from "./journal.ts";
import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import type { Picture } from "./picture.ts";

/** The code of an invite is in its Secret at most this long after the invite was created, unless something is disturbed. */
const handoverMs = 3_000;
/** `status.undeclared` lists the first ten. */
const listedUndeclared = 10;

/**
 * Compares the invites of the platform with the objects and their Secrets.
 *
 * - *U*: the code in a Secret is that of the invite of its object, it is never another one later, and an invite that no object
 *   has was left by a disturbance: nobody has its code.
 * - *L*: an invite that no object has is reported as undeclared by the Group in which it is, or by the metric alone if that
 *   Group ignores what nobody declares.
 */
export function findInviteViolations(journal: Journal, picture: Picture): Findings {
  const { resources, secrets } = picture;
  const violations: string[] = [];
  let compared = 0;
  const reported: string[] = [];
  const objects = picture.objects.filter(({ kind }) => kind === "GroupInvite");
  const recorded = new Set(objects.map(({ status }) => status?.uid));
  const issued = secrets.flatMap((secret) => {
    const content = issuedIn(secret);
    return content === undefined ? [] : [{ secret, ...content }];
  });
  for (const { secret, code } of issued) {
    const known = journal.codes.get(secret.metadata.uid ?? "") ?? code;
    if (known !== code) violations.push(`U: the code in the Secret ${secret.metadata.name} was replaced`);
    journal.codes.set(secret.metadata.uid ?? "", code);
  }
  for (const object of objects) {
    const { namespace, name } = object.metadata;
    if (object.metadata.deletionTimestamp !== undefined || !isReady(object)) continue;
    if (!journal.isPermitted(namespace, name)) continue;
    compared += 1;
    const uid: string | undefined = object["status"]?.uid;
    const invite = resources.groupInvites.find((one) => one.uid === uid);
    const own = issued.find(({ secret }) => secret.metadata.namespace === namespace && secret.metadata.name === name);
    if (own?.uid !== uid || own?.code.startsWith(`${invite?.["keyId"]}.`) !== true)
      violations.push(`U: the Secret of GroupInvite ${name} (${uid}) has the code of ${own?.uid}`);
  }
  const ignored: string[] = [];
  let shown = 0;
  for (const invite of resources.groupInvites) {
    const { uid } = invite;
    if (recorded.has(uid) || journal.mayStay.has(invite["email"])) continue;
    const text = `groupInvites ${uid} (${invite["email"]}) has no object`;
    const known = issued.find((one) => one.uid === uid || one.code.startsWith(`${invite["keyId"]}.`));
    if (known !== undefined) violations.push(`L: ${text}, and its code is in the Secret ${known.secret.metadata.name}`);
    else if (!journal.wasDisturbed(Date.parse(invite["createTime"]), handoverMs))
      violations.push(`U: ${text}, and nothing went wrong when it was created`);
    else {
      const reporting = reportingGroup(picture, invite);
      if (reporting !== undefined) shown += 1;
      if (reporting?.["spec"].undeclared === "Ignore") ignored.push(text);
      else if (reporting === undefined || lists(reporting, uid)) reported.push(text);
      else violations.push(`L: ${text}, and its Group does not report it`);
    }
  }
  const counted = picture.undeclaredInvites;
  if (counted !== undefined && counted >= shown) reported.push(...ignored);
  else for (const text of ignored) violations.push(`L: ${text}, and the metric counts ${counted} of ${shown}`);
  return { violations, reported, compared: { codes: compared } };
}

/** Whether the object may be Ready or not: its invite ended, its group is another one, or it was deleted by hand. */
export function isUndecidedInvite(object: KubeObject, journal: Journal, parent: string): boolean {
  const recorded: string | undefined = object["status"]?.parentUid;
  if (recorded !== undefined && recorded !== parent) return true;
  return conditionOf(object, "Ready")?.reason === "ExternalGone" && journal.changesByHand(object.metadata) > 0;
}

/** The object of the group in which the invite is. One that is not Ready, or is being deleted, reports nothing new. */
function reportingGroup({ objects }: Picture, { uid, expirationTime }: PlatformResource): KubeObject | undefined {
  // What has expired grants nothing, and nobody reports it.
  if (Date.parse(expirationTime) <= Date.now()) return undefined;
  const parent = uid.slice(0, uid.lastIndexOf("/"));
  const group = objects.find(({ kind, status }) => kind === "Group" && status?.uid === parent);
  return group !== undefined && isReady(group) && group.metadata.deletionTimestamp === undefined ? group : undefined;
}

function lists(group: KubeObject, uid: string): boolean {
  const undeclared: { uid: string }[] = group["status"]?.undeclared ?? [];
  return undeclared.length >= listedUndeclared || undeclared.some((one) => one.uid === uid);
}
