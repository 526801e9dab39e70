import { Agent, fetch, type Response } from "undici";

/** A page, or a redirect to an address that the browser does not open. */
export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly headers: Response["headers"];
  readonly text: string;
}

/** A browser without a screen: it keeps the cookies of each origin, follows redirects and sends forms. */
export class TestBrowser {
  readonly #agent: Agent;
  readonly #cookies = new Map<string, Map<string, string>>();
  /** The redirects to addresses that begin with one of these are not followed. */
  readonly #programs: readonly string[];
  #stopAt: string | undefined;

  constructor(ca: string, programs: readonly string[]) {
    this.#agent = new Agent({ connect: { ca } });
    this.#programs = programs;
  }

  /** Opens an address. */
  open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Visit> {
    return this.#visit(url, { headers: { ...headers } });
  }

  /** Does not follow redirects to addresses that begin with this, as an attacker does to keep them. */
  stopAt(prefix?: string): void {
    this.#stopAt = prefix;
  }

  /** Sends a form. @param headers in addition to those of the browser */
  post(
    url: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Visit> {
    return this.#visit(url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  }

  /** Sends the only form of a page, with the values that it has and those that the person enters. */
  submit({ url, text }: Visit, entered: Readonly<Record<string, string>> = {}): Promise<Visit> {
    const action = /<form[^>]* action="([^"]*)"/.exec(text)?.[1] ?? url;
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const fields = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
    return this.post(new URL(action, url).href, { ...fields, ...entered });
  }

  /** The cookies that the browser has for an address. */
  cookiesOf(url: string): ReadonlyMap<string, string> {
    return this.#cookies.get(new URL(url).origin) ?? new Map();
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  async #visit(
    url: string,
    request: { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Visit> {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      ...request,
      headers: { ...(cookie === "" ? {} : { cookie }), ...request.headers },
      redirect: "manual",
      dispatcher: this.#agent,
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name);
      else jar.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get("location");
    if (location === null) return { url, status: response.status, headers: response.headers, text };
    const next = new URL(location, url).href;
    const ends = [...this.#programs, ...(this.#stopAt === undefined ? [] : [this.#stopAt])];
    if (ends.some((prefix) => next.startsWith(prefix)))
      return { url: next, status: response.status, headers: response.headers, text };
    return this.#visit(next, {});
  }
}
