import { noteAfter } from "#src/commands/output/note.ts";
import type { ClusterReads, Unknown } from "#src/commands/reader/cluster-reads.ts";
import { readFix } from "#src/commands/reader/read-failure.ts";
import type { Link } from "#src/commands/why/link.ts";
import { fixOf } from "#src/commands/why/object-link.ts";
import { identityKind } from "#src/kinds/identity.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import { ownerOf, recordedOwner } from "#src/platform-client/owner-record.ts";
import { oneLine } from "#src/telemetry/one-line.ts";

export interface OwnerQuestion {
  readonly api: ReadApi;
  /** The uid of the operator's identity. */
  readonly identity: string;
  /** The value of `--owner-id`; absent: the uid of kube-system. */
  readonly ownerId: string | undefined;
  readonly class: string | undefined;
}

/** Whether the operator's identity on the platform records this cluster as its owner. */
export async function ownerLink(question: OwnerQuestion, cluster: ClusterReads, signal: AbortSignal): Promise<Link> {
  const { api, identity, ownerId } = question;
  const base = { link: "owner id", subject: identity };
  const read = ownerId === undefined ? await ownerIdOf(cluster) : ownerId;
  if (typeof read !== "string")
    return {
      ...base,
      state: "unknown",
      message: `The uid of the namespace kube-system cannot be read: ${read.because}`,
      fix: noteAfter("Give --owner-id.", read.fix),
    };
  const expected = ownerOf(read, question.class);
  try {
    const { description } = await api.get(identityKind.collection, identity, signal);
    const recorded = recordedOwner(description ?? "");
    if (recorded === expected) return { ...base, state: "ok", message: `It records the owner id ${expected}.` };
    return {
      ...base,
      state: "problem",
      reason: "OwnerMismatch",
      message: `It records ${recorded === undefined ? "no owner id" : `the owner id ${oneLine(recorded)}`}, but this operator's is ${expected}, so the operator writes nothing.`,
      ...fixOf("OwnerMismatch"),
    };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return {
      ...base,
      state: "unknown",
      message: `The identity cannot be read: ${oneLine(error.message)}`,
      fix: readFix(error),
    };
  }
}

async function ownerIdOf(cluster: ClusterReads): Promise<string | Unknown> {
  const read = await cluster.kubeSystemUid();
  if (read.state === "unknown") return read;
  const uid = read.state === "found" ? read.value : undefined;
  const fix = { text: "Look at it:", command: "kubectl get namespace kube-system -o yaml" };
  return uid ?? { state: "unknown", because: "it has none", fix };
}
