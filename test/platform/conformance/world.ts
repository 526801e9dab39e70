import { setTimeout } from "node:timers/promises";
import type { Api, Json, Outcome, Query } from "./client/api.ts";
import type { CollectionName } from "./client/collections.ts";
import type { GrpcApi } from "./client/grpc.ts";
import type { RestApi } from "./client/rest.ts";
import { exchange } from "./client/token-service.ts";
import type { Transcript } from "./client/transcript.ts";
import type { Connection } from "./connection.ts";
import { holds, rowsOf, succeeded } from "./expect.ts";
import type { Transport } from "./sentence.ts";
import type { Target } from "./settings.ts";
import type { StaticIssuer } from "./static-issuer.ts";

interface WorldSettings {
  readonly transport: Transport;
  readonly connection: Connection;
  readonly transcript: Transcript;
  readonly secrets: Set<string>;
  readonly issuer: StaticIssuer;
  /** The group below which the suite works. */
  readonly root: string;
  /** The case's own group. */
  readonly group: string;
  readonly crowd: () => Promise<string>;
  /** Their uids by name, as far as a case has asked. */
  readonly builtInRoles: Map<string, string>;
  readonly signal: AbortSignal;
}

/** A second caller, whose rights come from bindings alone. */
export interface Caller {
  readonly api: Api;
  readonly identity: string;
  readonly token: string;
}

/** What a case has to work with. All that it makes is below `group`, which is deleted with what is in it. */
export class World {
  readonly #settings: WorldSettings;
  #made = 0;

  constructor(settings: WorldSettings) {
    this.#settings = settings;
  }

  /** The admin, over the transport that the case runs over. */
  get api(): Api {
    return this.as(this.target.token);
  }

  /** The admin over HTTP/JSON, whatever the case runs over. */
  get rest(): RestApi {
    const { connection, transcript, signal } = this.#settings;
    return connection.rest(this.target.token, transcript, signal);
  }

  /** The admin over gRPC; there in a case that runs over it. */
  get grpc(): GrpcApi {
    const { connection, transcript, signal } = this.#settings;
    return connection.grpc(this.target.token, transcript, signal);
  }

  get target(): Target {
    return this.#settings.connection.target;
  }

  get issuer(): StaticIssuer {
    return this.#settings.issuer;
  }

  /** The group below which the suite works: to be read alone. */
  get root(): string {
    return this.#settings.root;
  }

  /** The case's own group, empty at first. */
  get group(): string {
    return this.#settings.group;
  }

  /** A group with 201 groups in it, which all cases share: to be read alone. */
  crowd(): Promise<string> {
    return this.#settings.crowd();
  }

  /** Another caller over the transport that the case runs over. */
  as(token: string | undefined): Api {
    const { transport, connection, transcript, signal } = this.#settings;
    return connection[transport](token, transcript, signal);
  }

  /** The token service over the transport that the case runs over, with an incoming token. */
  tokens(incoming: string | undefined): Api {
    const { transport, connection, transcript, signal } = this.#settings;
    return connection.tokens(transport, incoming, transcript, signal);
  }

  /** The token service over HTTP/JSON, whatever the case runs over. */
  tokensOverRest(bearer: string | undefined): RestApi {
    const { connection, transcript, signal } = this.#settings;
    return connection.tokensOverRest(bearer, transcript, signal);
  }

  /**
   * Asks for an API token.
   * @param asked what is asked besides the audience of the API, such as `identity`; wins over it
   */
  exchange(incoming: string | undefined, asked: Readonly<Record<string, unknown>>): Promise<Outcome> {
    return this.tokens(incoming).call(exchange, { aud: [this.target.audience], ...asked });
  }

  /** A name that no other of the case has, as names of siblings may have to differ. */
  name(): string {
    this.#made += 1;
    return `n${this.#made}`;
  }

  /** Makes what a case needs; the making itself is not what it looks at. */
  async make(collection: CollectionName, parent: string, body: object): Promise<Json> {
    const made = succeeded(await this.api.create(collection, parent, body), `making one of ${collection}`);
    if (collection === "groups") await setTimeout(this.target.consistencyLag);
    return made;
  }

  /** A group, by default in the case's own; its uid. */
  async makeGroup(parent: string = this.group): Promise<string> {
    return (await this.make("groups", parent, { name: this.name() })).uid;
  }

  /** Groups in the order in which they were made, with different names; several at once. */
  async makeGroups(count: number, parent: string = this.group): Promise<readonly Json[]> {
    const made: Json[] = [];
    while (made.length < count) {
      const names = Array.from({ length: Math.min(10, count - made.length) }, () => this.name());
      made.push(...(await Promise.all(names.map((name) => this.make("groups", parent, { name })))));
    }
    return made;
  }

  /** The resources that a List gives the admin. */
  async rows(collection: CollectionName, query: Query = {}): Promise<readonly Json[]> {
    return rowsOf(await this.api.list(collection, query), collection);
  }

  /** An identity that nobody can assume; its uid. */
  async makeIdentity(parent: string = this.group): Promise<string> {
    const subject = this.name();
    const claimMatch = { issuer: this.issuer.issuer, subject };
    return (await this.make("identities", parent, { name: subject, claimMatch })).uid;
  }

  /** A custom role; its uid. */
  async makeRole(capabilities: readonly string[], parent: string = this.group): Promise<string> {
    return (await this.make("roles", parent, { name: this.name(), capabilities })).uid;
  }

  async bind(group: string, identityUid: string, roleUid: string): Promise<string> {
    return (await this.make("roleBindings", group, { identityUid, roleUid })).uid;
  }

  /** The uid of a built-in role; it is looked up once a run. */
  async builtInRole(name: string): Promise<string> {
    const { builtInRoles } = this.#settings;
    const uid = builtInRoles.get(name) ?? (await this.#lookUpRole(name));
    builtInRoles.set(name, uid);
    return uid;
  }

  async #lookUpRole(name: string): Promise<string> {
    const page = succeeded(await this.api.list("roles", { uidp: { inRoot: true }, name }), "the built-in roles");
    const [role] = page["roles"] as readonly Json[];
    holds(role !== undefined, "the built-in roles", `one named ${name}`, page);
    return role?.uid ?? "";
  }

  /** The audience that identities expect by default: the host name of the token service. */
  get incomingAudience(): string {
    return new URL(this.target.authUrl).hostname;
  }

  /** An identity that `issuer` signs tokens for; its uid and an incoming token for it. */
  async makeAssumable(
    parent: string = this.group,
  ): Promise<{ readonly uid: string; readonly subject: string; readonly incoming: string }> {
    const subject = `${this.group} ${this.name()}`;
    const { uid } = await this.make("identities", parent, {
      name: this.name(),
      staticKeys: {
        issuer: this.issuer.issuer,
        subject,
        issuerKeys: await this.issuer.keys(),
        audiences: [this.incomingAudience],
      },
    });
    return { uid, subject, incoming: await this.issuer.token(subject, this.incomingAudience) };
  }

  /**
   * A caller that holds a role in a group, and nothing else.
   * @param role a uid, or the name of a built-in role
   * @param narrowing what the exchange is asked besides, such as `cap`
   */
  async caller(
    role: string,
    group: string = this.group,
    narrowing: Readonly<Record<string, unknown>> = {},
  ): Promise<Caller> {
    const { uid: identity, incoming } = await this.makeAssumable();
    await this.bind(group, identity, /^[0-9a-f]{40}/.test(role) ? role : await this.builtInRole(role));
    const answer = succeeded(await this.exchange(incoming, { identity, ...narrowing }), "the exchange of a token");
    const token = String(answer["token"]);
    this.#settings.secrets.add(token);
    return { api: this.as(token), identity, token };
  }
}
