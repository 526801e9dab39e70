import { setTimeout } from "node:timers/promises";
import type { Transport, Api, Json, Outcome, Query } from "./client/api.ts";
import type { CollectionName } from "./client/collections.ts";
import type { GrpcApi } from "./client/grpc.ts";
import type { RestApi } from "./client/rest.ts";
import { exchange } from "./client/token-service.ts";
import type { Transcript } from "./client/transcript.ts";
import type { Connection } from "./connection.ts";
import { holds, resourcesOf, succeeded } from "./expect.ts";
import type { Target } from "./settings.ts";
import type { StaticIssuer } from "#test/support/static-issuer.ts";

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
  readonly largeGroup: () => Promise<string>;
  /** A cache of their uids by name. */
  readonly builtInRoles: Map<string, string>;
  readonly signal: AbortSignal;
}

/** A caller whose permissions come only from role bindings. */
export interface Caller {
  readonly api: Api;
  readonly identity: string;
  readonly token: string;
}

/** The environment of a case. Everything that a case creates is below `group`, which is deleted when the case ends. */
export class World {
  readonly #settings: WorldSettings;
  #made = 0;

  constructor(settings: WorldSettings) {
    this.#settings = settings;
  }

  /** The admin, over the case's transport. */
  get api(): Api {
    return this.as(this.target.token);
  }

  /** The admin over HTTP/JSON, regardless of the case's transport. */
  get rest(): RestApi {
    const { connection, transcript, signal } = this.#settings;
    return connection.rest(this.target.token, transcript, signal);
  }

  /** The admin over gRPC. @throws {Error} in a run without gRPC */
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

  /** The group below which the suite works. Read-only for cases. */
  get root(): string {
    return this.#settings.root;
  }

  /** The case's own group, initially empty. */
  get group(): string {
    return this.#settings.group;
  }

  /** A group with 201 child groups, shared by all cases. Read-only for cases. */
  largeGroup(): Promise<string> {
    return this.#settings.largeGroup();
  }

  /** The caller with this token, or without one, over the case's transport. */
  as(token: string | undefined): Api {
    const { transport, connection, transcript, signal } = this.#settings;
    return connection[transport](token, transcript, signal);
  }

  /** The token service over the case's transport. @param bearer a subject token, or a refresh token */
  tokenService(bearer: string | undefined): Api {
    const { transport, connection, transcript, signal } = this.#settings;
    return connection.tokenService(transport, bearer, transcript, signal);
  }

  /** The token service over HTTP/JSON, regardless of the case's transport. */
  tokenServiceOverRest(bearer: string | undefined): RestApi {
    const { connection, transcript, signal } = this.#settings;
    return connection.tokenServiceOverRest(bearer, transcript, signal);
  }

  /**
   * Exchanges a subject token for an API token.
   * @param parameters those of the exchange, such as `identity`; `aud` is the audience of the API by default
   */
  exchange(subjectToken: string | undefined, parameters: Readonly<Record<string, unknown>>): Promise<Outcome> {
    return this.tokenService(subjectToken).call(exchange, { aud: [this.target.audience], ...parameters });
  }

  /** A new name. A platform can require that siblings have different names. */
  name(): string {
    this.#made += 1;
    return `n${this.#made}`;
  }

  /** Creates a resource that a case needs. @throws {Mismatch} if the platform rejects it */
  async make(collection: CollectionName, parent: string, body: object): Promise<Json> {
    const made = succeeded(await this.api.create(collection, parent, body), `a Create of ${collection}`);
    if (collection === "groups") await setTimeout(this.target.consistencyLag);
    return made;
  }

  /** Creates a group, by default in the case's own. @returns its uid */
  async makeGroup(parent: string = this.group): Promise<string> {
    return (await this.make("groups", parent, { name: this.name() })).uid;
  }

  /** Creates groups with different names, ten at a time. */
  async makeGroups(count: number, parent: string = this.group): Promise<readonly Json[]> {
    const made: Json[] = [];
    while (made.length < count) {
      const names = Array.from({ length: Math.min(10, count - made.length) }, () => this.name());
      made.push(...(await Promise.all(names.map((name) => this.make("groups", parent, { name })))));
    }
    return made;
  }

  /** The resources that the admin's List returns: one page. */
  async list(collection: CollectionName, query: Query = {}): Promise<readonly Json[]> {
    return resourcesOf(await this.api.list(collection, query), collection);
  }

  /** Creates an identity that nobody can assume. @returns its uid */
  async makeIdentity(parent: string = this.group): Promise<string> {
    const subject = this.name();
    const claimMatch = { issuer: this.issuer.issuer, subject };
    return (await this.make("identities", parent, { name: subject, claimMatch })).uid;
  }

  /** Creates a custom role. @returns its uid */
  async makeRole(capabilities: readonly string[], parent: string = this.group): Promise<string> {
    return (await this.make("roles", parent, { name: this.name(), capabilities })).uid;
  }

  /** Creates a role binding. @returns its uid */
  async bind(group: string, identityUid: string, roleUid: string): Promise<string> {
    return (await this.make("roleBindings", group, { identityUid, roleUid })).uid;
  }

  /** The uid of a built-in role. */
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

  /** The audience that identities expect in a subject token by default: the host name of the token service. */
  get subjectTokenAudience(): string {
    return new URL(this.target.authUrl).hostname;
  }

  /** Creates an identity that `issuer` signs tokens for. @returns its uid, its subject and a subject token for it */
  async makeAssumable(
    parent: string = this.group,
  ): Promise<{ readonly uid: string; readonly subject: string; readonly subjectToken: string }> {
    const subject = `${this.group} ${this.name()}`;
    const { uid } = await this.make("identities", parent, {
      name: this.name(),
      staticKeys: {
        issuer: this.issuer.issuer,
        subject,
        issuerKeys: await this.issuer.keys(),
        audiences: [this.subjectTokenAudience],
      },
    });
    return { uid, subject, subjectToken: await this.issuer.token(subject, this.subjectTokenAudience) };
  }

  /**
   * Creates an identity with a single role binding.
   * @param role a role's uid, or the name of a built-in role
   * @param downscope further parameters of the exchange, such as `cap`
   */
  async caller(
    role: string,
    group: string = this.group,
    downscope: Readonly<Record<string, unknown>> = {},
  ): Promise<Caller> {
    const { uid: identity, subjectToken } = await this.makeAssumable();
    await this.bind(group, identity, /^[0-9a-f]{40}/.test(role) ? role : await this.builtInRole(role));
    const response = succeeded(
      await this.exchange(subjectToken, { identity, ...downscope }),
      "the exchange of a token",
    );
    const token = String(response["token"]);
    this.#settings.secrets.add(token);
    return { api: this.as(token), identity, token };
  }
}
