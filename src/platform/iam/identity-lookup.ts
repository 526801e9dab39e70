import type { Coverage } from "../authorization/access.ts";
import { Capability } from "../authorization/capability.ts";
import { identities } from "../collections/identities.ts";
import { subtreeOf } from "../contract/uid.ts";
import { invalidArgument, notFound } from "../errors/api-error.ts";
import type { Identity } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import type { Transaction } from "../service/transaction.ts";
import { type Reader, type Statement, statement } from "../store/database.ts";

/** The parts of the tree that one statement searches. */
const rangesTogether = 50;

/** A range of uids: `>= from` and `< to`. */
interface Range {
  readonly from: string;
  readonly to: string;
}

/** Returns the first identity with this literal issuer and subject that the caller can list. @throws ApiError (3, 5) */
export async function lookUpIdentity({ tx, access }: Transaction, issuer: string, subject: string): Promise<Identity> {
  if (issuer === "") throw invalidArgument("issuer", "must not be empty");
  if (subject === "") throw invalidArgument("subject", "must not be empty");
  const uid = await firstIn(tx, rangesOf(access.coverage(Capability.CAP_IAM_IDENTITY_LIST)), issuer, subject);
  const identity = uid === undefined ? undefined : await identities.find(tx, uid);
  if (identity === undefined) throw notFound("identity", `${issuer} ${subject}`);
  return identity;
}

/** The ranges of a coverage, in the order of uids. */
function rangesOf(coverage: Coverage): readonly Range[] {
  // "~" is greater than every character of a uid.
  if (coverage === "everywhere") return [{ from: "", to: "~" }];
  return coverage.map((uid) => ({ from: uid, to: subtreeOf(uid).to }));
}

/**
 * The first uid in the ranges. Only these are searched, with one step down an index for each, so neither the time nor its
 * variation depends on the identities of others.
 */
async function firstIn(
  reader: Reader,
  ranges: readonly Range[],
  issuer: string,
  subject: string,
): Promise<string | undefined> {
  for (let start = 0; start < ranges.length; start += rangesTogether) {
    const some = ranges.slice(start, start + rangesTogether);
    const parameters: Record<string, string> = { issuer, subject };
    for (const [n, { from, to }] of some.entries()) Object.assign(parameters, { [`from${n}`]: from, [`to${n}`]: to });
    const [first] = (await reader.all((statements[some.length] ??= firstOf(some.length)), parameters))
      .map(({ uid }) => uid)
      .toSorted();
    if (first !== undefined) return first;
  }
  return undefined;
}

const statements: Statement<Readonly<Record<string, string>>, { uid: string }>[] = [];

/** Selects the first uid of each of a number of ranges. */
function firstOf(ranges: number): Statement<Readonly<Record<string, string>>, { uid: string }> {
  return statement((db, p: Readonly<Record<string, string>>) =>
    Array.from({ length: ranges }, (_, n) =>
      db
        .selectFrom(
          db
            .selectFrom("identities")
            .select("uid")
            .where("subject", "=", p["subject"] as string)
            .where("issuer", "=", p["issuer"] as string)
            .where("uid", ">=", p[`from${n}`] as string)
            .where("uid", "<", p[`to${n}`] as string)
            .orderBy("uid")
            .limit(1)
            .as("first"),
        )
        .select("first.uid"),
    ).reduce((all, select) => all.unionAll(select)),
  );
}
