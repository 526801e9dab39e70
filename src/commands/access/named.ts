import { type AccessModel, knownCapabilities } from "#src/access/access-model.ts";
import { dottedCapability, findCapability } from "#src/access/capability-name.ts";
import { findByName, type Nameable } from "#src/access/find-by-name.ts";
import { groupPath } from "#src/access/group-path.ts";
import { ExplainedError } from "#src/commands/explained-error.ts";
import { visibleText } from "#src/commands/output/visible-text.ts";
import { parentOf, uidPattern } from "#src/platform-client/uid.ts";
import { didYouMean } from "#src/text/nearest.ts";
import { shortList } from "#src/text/short-list.ts";

/** More candidates are not listed. */
const maxCandidates = 10;
/** More capabilities are not listed. */
const maxCapabilities = 100;

/**
 * The capability that a text means, by the name of the contract.
 * @param setting where the text was given
 * @throws {Error} that names what is near, if no role has it
 */
export function capabilityNamed(model: AccessModel, text: string, setting = "CAPABILITY"): string {
  const capabilities = knownCapabilities(model);
  const found = findCapability(text, capabilities);
  if (found !== undefined) return found;
  throw new Error(`${setting}: no role of the platform has "${text}"${hintFor(model, text, [...capabilities])}`);
}

/** What to give instead: the capability that was mistyped, those of the role that was named, or all that there are. */
function hintFor({ state }: AccessModel, text: string, capabilities: readonly string[]): string {
  const role = state.roles.find(({ name }) => name === text);
  if (role !== undefined) return `; it is a role: give one of its capabilities, ${namesOf([...role.capabilities])}`;
  const guess = didYouMean(
    text,
    capabilities.flatMap((capability) => [dottedCapability(capability), capability]),
  );
  return guess || `; the capabilities are ${namesOf(capabilities)}`;
}

function namesOf(capabilities: readonly string[]): string {
  return shortList(capabilities.map(dottedCapability).toSorted(), maxCapabilities);
}

/**
 * The uid of the group that a text means. A uid is taken as it is: the caller may not be able to read the group.
 * @param setting where the text was given
 * @throws {Error} that lists the candidates, if there is not exactly one
 */
export function groupNamed(model: Pick<AccessModel, "groups">, text: string, setting = "--group"): string {
  const candidates = [...model.groups.keys()].map((uid) => ({ uid, path: groupPath(model, uid) }));
  return theOne(setting, "group", text, candidates);
}

/**
 * What to say of a uid that is not the one of a group which the caller can read: a resource has the access of its group, and a
 * mistyped uid would have it, too. Empty for a group.
 */
export function notAGroup(model: AccessModel, uid: string): readonly string[] {
  if (model.groups.has(uid)) return [];
  return [`${uid} is not a group that you can read: the answer holds if it is one, or a resource in a group.`];
}

/** The same of a uid that is not the one of an identity which the caller can read, such as a mistyped one. */
export function notAnIdentity({ identities, bindingsOf }: AccessModel, uid: string): readonly string[] {
  if (identities.has(uid) || bindingsOf.has(uid)) return [];
  return [`${uid} is not an identity that you can read: the answer holds if it is one.`];
}

/**
 * The uid of the identity that a text means. A uid is taken as it is: the caller may not be able to read the identity.
 * @throws {Error} that lists the candidates, if there is not exactly one
 */
export function identityNamed(model: AccessModel, text: string): string {
  const { bindings, identities } = model.state;
  // Role bindings name identities that the caller may not be able to read.
  const names = new Map(bindings.map(({ identity }) => [identity.uid, identity.name]));
  for (const { name, uid } of identities) names.set(uid, name);
  const candidates = [...names].map(([uid, name]) => ({
    uid,
    path: `${groupPath(model, parentOf(uid) ?? "")}/${name}`,
  }));
  return theOne("IDENTITY", "identity", text, candidates);
}

function theOne(setting: string, noun: string, text: string, candidates: readonly Nameable[]): string {
  if (uidPattern.test(text)) return text;
  const found = findByName(text, candidates);
  const [first, ...more] = found;
  if (first === undefined) {
    const names = candidates.flatMap(({ path }) => [path, path.slice(path.lastIndexOf("/") + 1)].map(visibleText));
    throw new ExplainedError(
      "permission-denied",
      `${setting}: there is no ${noun} "${text}" that you can read${didYouMean(text, names) || ". Give its uid if you know it"}`,
    );
  }
  if (more.length === 0) return first.uid;
  const listed = found
    .map(({ path, uid }) => `\n  ${visibleText(path)}  ${uid}`)
    .toSorted()
    .slice(0, maxCandidates);
  const omitted = found.length > maxCandidates ? `\n  and ${found.length - maxCandidates} more` : "";
  throw new Error(
    `${setting}: ${found.length} are called "${text}"; give the path, or the uid, of one of them:${listed.join("")}${omitted}`,
  );
}
