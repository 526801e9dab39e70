import type { PlatformCollection, PlatformResource } from "#test/support/harness/platform-admin.ts";
import type { AnyMusterKind } from "#test/support/harness/muster-objects.ts";
import type { Call, CallEnd } from "#test/support/harness/fault-proxy.ts";

/** A response that takes longer is slow: operators wait for it for twice this time. */
const slowMs = 1_000;
/** A request takes effect at most this long after it was sent, on a busy machine. */
const inFlightMs = 500;

/** An object that the campaign declared and has not deleted. */
export interface Declared {
  readonly kind: AnyMusterKind;
  readonly namespace: string;
  readonly name: string;
  /** No operation deletes the object. */
  readonly isKept?: true;
}

/** A resource that the campaign created on the platform itself, as another client does. */
export interface HandMade {
  readonly collection: PlatformCollection;
  readonly resource: PlatformResource;
  /** An object may take it over: it may change, and go with the object. */
  readonly mayBeTaken: boolean;
  /** It is in a group whose object says that what nobody declares is removed: it may go, unless an object names it. */
  readonly mayBeRemoved?: boolean;
}

/** A request that writes to the platform. */
export interface Write {
  readonly method: string;
  readonly collection: string;
  /** In milliseconds since the epoch, when it arrived, whether or not it was forwarded. */
  readonly at: number;
}

/** What the campaign did, as far as the check needs it and the objects that are left do not show it. */
export class Journal {
  readonly declared = new Map<string, Declared>();
  readonly handMade = new Set<HandMade>();
  /** The names of resources that may stay without a marker when their objects are deleted: adopted or orphaned. Unique. */
  readonly mayStay = new Set<string>();
  /** The names that the objects with unique names were given later, by their specs or by hand, and the first name of each. */
  readonly #renamed = new Map<string, string>();
  readonly counts = { operations: 0, refused: 0, creations: 0, kills: 0, pauses: 0, cuts: 0, stalls: 0, slow: 0 };
  /** How often each operation was done. */
  readonly done = new Map<string, number>();
  /** The code that was seen in each Secret, by the Secret's uid. */
  readonly codes = new Map<string, string>();
  /** What the operators sent to write. */
  readonly writes: Write[] = [];
  /** Violations that the state at the end does not show. */
  readonly violations: string[] = [];
  /** Who could assume the identities, by uid, that hold since then what their Tenant may not bind: their `claimMatch`. */
  readonly held = new Map<string, unknown>();
  /** The namespaces that no Tenant, or more than one, selected for some time. */
  readonly ungoverned = new Set<string>();
  /** The last time in `expiresAt` of each object that can be read as a time, in milliseconds since the epoch. */
  readonly #expiries = new Map<string, number>();
  readonly #disturbances: { readonly from: number; until: number }[] = [];
  /** The Secrets that operators may use, as `NAMESPACE/NAME`. */
  readonly #permitted = new Set<string>();
  /** The Secrets whose value was replaced, and that nobody was asked to read since, as `NAMESPACE/NAME`. */
  readonly #replacedUnnoticed = new Set<string>();
  /** The grants that somebody made by hand, and that an object may have taken over, also if they are gone. */
  readonly #grantsByHand = new Set<string>();
  readonly #changes = new Map<string, number>();
  #names = 0;

  /** A name that nothing else in the round has. */
  newName(prefix: string): string {
    this.#names += 1;
    return `${prefix}-${this.#names}`;
  }

  /** Another client changed or deleted the resource of the object. */
  noteChangeByHand(one: Omit<Declared, "kind">): void {
    this.#changes.set(`${one.namespace}/${one.name}`, this.changesByHand(one) + 1);
  }

  /** Notes that the object ends at `expiresAt`. What is not a time does not extend the grant that was made until then. */
  noteExpiry({ namespace, name }: Omit<Declared, "kind">, expiresAt: string | null): void {
    const key = `${namespace}/${name}`;
    if (expiresAt === null) this.#expiries.delete(key);
    else if (!Number.isNaN(Date.parse(expiresAt))) this.#expiries.set(key, Date.parse(expiresAt));
  }

  /** When the object ends, in milliseconds since the epoch, as far as the campaign has edited that. */
  expiryOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): number | undefined {
    return this.#expiries.get(`${namespace}/${name}`);
  }

  permit({ namespace = "", name }: { readonly namespace?: string; readonly name: string }): void {
    this.#permitted.add(`${namespace}/${name}`);
  }

  /** Whether the Secret exists, and operators may use it. */
  isPermitted(namespace: string | undefined, name: string): boolean {
    return this.#permitted.has(`${namespace}/${name}`);
  }

  /**
   * Notes that the value of a Secret is about to be replaced.
   * @returns to be called once it is requested that the Secret is read
   */
  noteReplacedSecret({ namespace = "", name }: { readonly namespace?: string; readonly name: string }): () => void {
    const secret = `${namespace}/${name}`;
    this.#replacedUnnoticed.add(secret);
    return () => this.#replacedUnnoticed.delete(secret);
  }

  /** Whether the Secret has another value since it was last requested that it is read. */
  isReplacedUnnoticed({ namespace = "", name }: { readonly namespace?: string; readonly name: string }): boolean {
    return this.#replacedUnnoticed.has(`${namespace}/${name}`);
  }

  /**
   * Notes that a namespace is deleted with what is in it. Its custom resources may stay: while the API server starts, it does
   * not find them, which the namespace controller takes for a kind without objects.
   */
  forgetNamespace(namespace: string): void {
    for (const one of this.declared.values()) if (one.namespace === namespace) this.forget(one);
    for (const secret of this.#permitted) if (secret.startsWith(`${namespace}/`)) this.#permitted.delete(secret);
  }

  /** Notes that another client created the resource. */
  noteHandMade(one: HandMade): void {
    this.handMade.add(one);
    if (one.collection === "roleBindings" && one.mayBeTaken) this.#grantsByHand.add(grantOf(one.resource));
  }

  /** Notes that the client removes the resource again. */
  forgetHandMade(one: HandMade): void {
    this.handMade.delete(one);
  }

  /** Whether somebody made a role binding that equals this one, which an object may have taken instead of its own. */
  hasTwinByHand(resource: PlatformResource): boolean {
    return this.#grantsByHand.has(grantOf(resource));
  }

  handMadeWith(collection: PlatformCollection, uid: string): HandMade | undefined {
    return [...this.handMade].find((one) => one.collection === collection && one.resource.uid === uid);
  }

  /** Whether a client created the resource that no object may take over: the campaign does not change it either. */
  mustStay(collection: PlatformCollection, uid: string): boolean {
    return this.handMadeWith(collection, uid)?.mayBeTaken === false;
  }

  /**
   * Notes that something begins after which a process may not know what it created.
   * @param delayMs how much later a request may take effect that was sent before the end
   * @param from when it began, in milliseconds since the epoch
   * @returns to be called when it is over, unless it only lasts a moment
   */
  noteDisturbance(delayMs = 0, from = Date.now()): () => void {
    const disturbance = { from, until: Date.now() + delayMs };
    this.#disturbances.push(disturbance);
    return () => {
      disturbance.until = Date.now() + delayMs;
    };
  }

  /**
   * Notes that an operator got the response to a call, or gave up. On a busy machine it gives up what nobody disturbed: then it
   * does not know whether it created an invite.
   */
  noteResponse({ method, collection }: Call, { arrivedAt, isSent }: CallEnd): void {
    if (isSent && Date.now() - arrivedAt < slowMs) return;
    this.counts.slow += 1;
    if (method === "POST" && collection === "groupInvites") this.noteDisturbance(0, arrivedAt);
  }

  /** Whether something was disturbed at this time, in milliseconds since the epoch, or within `afterMs` after it. */
  wasDisturbed(time: number, afterMs: number): boolean {
    return this.#disturbances.some(({ from, until }) => from - afterMs <= time && time <= until + inFlightMs);
  }

  changesByHand({ namespace, name }: { readonly namespace?: string; readonly name: string }): number {
    return this.#changes.get(`${namespace}/${name}`) ?? 0;
  }

  noteName({ name }: Declared, later: string): void {
    this.#renamed.set(later, name);
  }

  /** Whether a resource with this name may stay without a marker when its object is deleted. */
  mayBeLeft(name: string): boolean {
    return this.mayStay.has(name) || this.mayStay.has(this.#renamed.get(name) ?? "");
  }

  declare(one: Declared): void {
    this.declared.set(`${one.kind} ${one.namespace}/${one.name}`, one);
  }

  forget({ kind, namespace, name }: Declared): void {
    this.declared.delete(`${kind} ${namespace}/${name}`);
  }

  of(kind: AnyMusterKind, namespace?: string): readonly Declared[] {
    return [...this.declared.values()].filter(
      (one) => one.kind === kind && (namespace === undefined || one.namespace === namespace),
    );
  }
}

function grantOf({ uid, identity, role }: PlatformResource): string {
  return [uid.slice(0, uid.lastIndexOf("/")), identity?.uid, role?.uid].join(" ");
}
