import { minutes } from "#src/time/durations.ts";
import type { HttpRequest } from "../server/http-handler.ts";
import type { MasterKey } from "../tokens/master-key.ts";
import type { LoginRequest, Person } from "./login-request.ts";
import { OAuthError } from "./oauth-error.ts";

/** How long a person may take for a login (ms). */
export const loginTime = minutes(10);
/** Browsers store cookies of up to 4096 bytes. */
const maximumCookie = 4_000;
const purpose = "login cookie";

/** How far a browser is in a login. */
export type LoginStep =
  /** The person types the code of a device. */
  | { readonly step: "device"; readonly formToken: string }
  /** The person has typed the code of a device, and chooses an identity provider. */
  | { readonly step: "choose"; readonly request: LoginRequest }
  /** The person logs in at the identity provider. */
  | {
      readonly step: "provider";
      readonly request: LoginRequest;
      readonly provider: string;
      readonly state: string;
      readonly nonce: string;
      readonly verifier: string;
    }
  /** The identity provider has said who the person is, and the person is asked whether to go on. */
  | {
      readonly step: "consent";
      readonly request: LoginRequest;
      readonly provider: string;
      readonly person: Person;
      /** The person's identity, as the page named it. */
      readonly planned: PlannedIdentity;
      readonly formToken: string;
    };

/** An identity at the time of a plan. */
export interface PlannedIdentity {
  /** Undefined if it would be created. */
  readonly uid: string | undefined;
  /** The value of its security stamp; that of a new identity if it would be created. */
  readonly stamp: string;
}

/** A step as the browser has it, and until when it does (ms). */
type KeptStep<S extends LoginStep["step"]> = Extract<LoginStep, { step: S }> & { readonly expires: number };

/** The step of a login that the person is asked about. */
export type AskedStep = KeptStep<"consent">;

/**
 * Keeps the step of a login in a cookie of the browser, sealed: every replica can go on with it, nothing is stored for people who
 * never finish, and nobody else can. A browser has one login at a time; a new one takes the place of the one before.
 */
export class PendingLogins {
  readonly #masterKey: MasterKey;
  readonly #name: string;
  readonly #attributes: string;

  /** @param authUrl the address of the pages */
  constructor(masterKey: MasterKey, authUrl: string) {
    const isSecure = authUrl.startsWith("https:");
    this.#masterKey = masterKey;
    // With this prefix, a browser accepts the cookie from this host alone.
    this.#name = isSecure ? "__Host-muster-login" : "muster-login";
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  }

  /** The header Set-Cookie for a step. @throws OAuthError (invalid_request) if the request is too long to be kept */
  keep(step: LoginStep, now: number): string {
    const text = JSON.stringify({ ...step, expires: now + loginTime });
    const sealed = Buffer.from(this.#masterKey.seal(purpose, text)).toString("base64url");
    if (sealed.length > maximumCookie)
      throw new OAuthError("invalid_request", "the parameters of the login are too long; use fewer or shorter ones");
    return `${this.#name}=${sealed}; Max-Age=${loginTime / 1_000}; ${this.#attributes}`;
  }

  /** The header Set-Cookie that ends the login. */
  get forget(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`;
  }

  /** The step that the browser is at. @throws OAuthError (access_denied) if it is at another one, or took too long */
  at<S extends LoginStep["step"]>(step: S, request: HttpRequest, now: number): KeptStep<S> {
    const found = this.#read(request);
    if (found === undefined || found.step !== step || found.expires <= now)
      throw new OAuthError(
        "access_denied",
        "this browser did not start the login, has finished it, or took too long: start again",
      );
    return found as KeptStep<S>;
  }

  #read({ headers: { cookie = "" } }: HttpRequest): (LoginStep & { readonly expires: number }) | undefined {
    const prefix = `${this.#name}=`;
    const values = cookie.split("; ").filter((one) => one.startsWith(prefix));
    for (const value of values)
      try {
        const sealed = Buffer.from(value.slice(prefix.length), "base64url");
        return JSON.parse(this.#masterKey.open(purpose, sealed)) as LoginStep & { expires: number };
      } catch {
        // Another cookie of this name, or one from before the key file was rotated.
      }
    return undefined;
  }
}
