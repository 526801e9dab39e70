import type { IdentityProvider } from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import type { WholeResponse } from "../server/http-handler.ts";
import { apiTokenLifetime } from "../tokens/token-lifetime.ts";
import type { LoginPlan, ShownRole } from "./complete-login.ts";
import { type Html, html } from "./html.ts";
import type { LoginTarget, Person } from "./login-request.ts";
import { pageResponse } from "./page.ts";

/** A link to the login at a provider. */
export interface ProviderLink {
  readonly provider: IdentityProvider;
  readonly href: string;
}

export function choicePage(links: readonly ProviderLink[]): WholeResponse {
  return pageResponse({
    title: "Choose how to log in",
    body: html`<p>Your organization accepts accounts of these identity providers.</p>${choices(links)}`,
  });
}

function choices(links: readonly ProviderLink[]): Html {
  const items = links.map(
    ({
      provider,
      href,
    }) => html`<li class="choice"><a class="button" href="${href}">Continue with ${provider.name}</a></li>
`,
  );
  return html`<ul class="choices">${items}</ul>`;
}

interface Consent {
  readonly plan: LoginPlan;
  readonly person: Person;
  readonly target: LoginTarget;
  /** The address of the API. */
  readonly platform: string;
  /** How long the person stays logged in (ms). */
  readonly lifetime: number;
  readonly formToken: string;
  /** The address that the form is sent to. */
  readonly action: string;
  readonly cookie: string;
  /** The time now (ms). */
  readonly now: number;
}

/** Asks the person, before anything is created or given to a program. */
export function consentPage(consent: Consent): WholeResponse {
  const { plan, person, target, platform, lifetime, formToken, action, cookie, now } = consent;
  const roles = plan.roles.map(roleItem);
  const body = html`<p>${askingFor(target, now)} will be able to use <strong>${platform}</strong> as you.</p>
<dl>
<dt>Account</dt><dd>${accountOf(person)}</dd>
<dt>Identity provider</dt><dd>${plan.name} (${plan.provider})</dd>
<dt>Identity</dt><dd>${plan.identity.uid === undefined ? html`a new one, in the group <strong>${plan.group}</strong>` : html`<code>${plan.identity.uid}</code>`}</dd>
<dt>Lifetime</dt><dd>${lifetimeOf(target, lifetime)}</dd>
${target.kind === "token" && target.group !== undefined ? html`<dt>Restricted to</dt><dd><code>${target.group}</code> and the groups below it</dd>` : undefined}
</dl>
<h2>Roles</h2>
${roles.length === 0 ? html`<p>None.</p>` : html`<ul>${roles}${plan.moreRoles ? html`<li>and more</li>` : undefined}</ul>`}
${plan.invited === undefined ? undefined : html`<h2>The invite adds</h2><ul>${[roleItem(plan.invited)]}</ul>`}
<p class="hint">Continue only if you have just started this login yourself.</p>
<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${formToken}">
<div class="actions">
<button name="decision" value="approve">Log in</button>
<button class="second" name="decision" value="deny">Cancel</button>
</div>
</form>`;
  return pageResponse({ title: "Log in?", body, formTarget: formTargetOf(target), cookie });
}

function roleItem({ role, group }: ShownRole): Html {
  return html`<li><strong>${role}</strong> in the group ${group}</li>`;
}

function accountOf({ name, email, emailVerified, subject }: Person): Html {
  const named = name === undefined ? undefined : `${name}, `;
  if (email === undefined) return html`${named}<strong>${subject}</strong>`;
  return html`${named}<strong>${email}</strong>${emailVerified ? undefined : " (not verified)"}, ${subject}`;
}

function askingFor(target: LoginTarget, now: number): Html {
  switch (target.kind) {
    case "code":
      return html`The program on this computer that listens on port <strong>${new URL(target.redirectUri).port}</strong>`;
    case "token":
      return html`The program on this computer that listens on port <strong>${new URL(target.redirect).port}</strong>`;
    case "device":
      return html`<strong>Another device</strong>, whose code you typed and which asked for it ${ago(now - target.time)} from the address <strong>${target.address}</strong>,`;
  }
}

function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  return minutes < 1 ? "less than a minute ago" : minutes === 1 ? "a minute ago" : `${minutes} minutes ago`;
}

function lifetimeOf(target: LoginTarget, lifetime: number): string {
  const token = duration(apiTokenLifetime);
  return target.kind === "token" && !target.refreshToken ? token : `${token}, renewed for up to ${duration(lifetime)}`;
}

function duration(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000);
  const parts = [plural(Math.floor(minutes / 60), "hour"), plural(minutes % 60, "minute")];
  return parts.filter((part) => part !== "").join(" ");
}

function plural(count: number, unit: string): string {
  return count === 0 ? "" : `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** Browsers apply the policy for forms to the redirect that follows too. It cannot name an IPv6 address. */
function formTargetOf(target: LoginTarget): string {
  if (target.kind === "device") return "";
  const { origin, hostname } = new URL(target.kind === "code" ? target.redirectUri : target.redirect);
  return hostname.startsWith("[") ? "http:" : origin;
}

interface DeviceForm {
  readonly action: string;
  readonly formToken: string;
  readonly cookie: string;
  /** Whether a wrong code was typed. */
  readonly isWrong: boolean;
}

export function deviceCodePage({ action, formToken, cookie, isWrong }: DeviceForm): WholeResponse {
  const described = isWrong ? "hint error" : "hint";
  const body = html`<form method="post" action="${action}" autocomplete="off">
<label for="code">Code</label>
<p class="hint" id="hint">The device, or the terminal, on which you log in shows it: eight letters.</p>
${isWrong ? html`<p class="bad" id="error" role="alert">There is no such code, or it has expired. Check it, or start again on the device.</p>` : undefined}
<input type="text" id="code" name="user_code" required maxlength="16" autocapitalize="characters" spellcheck="false" autocomplete="off" aria-describedby="${described}"${isWrong ? html` aria-invalid="true"` : undefined} autofocus>
<input type="hidden" name="form_token" value="${formToken}">
<p><strong>Type a code only if you started the login yourself.</strong> Whoever sends you a code wants to act as you.</p>
<div class="actions"><button>Continue</button></div>
</form>`;
  return pageResponse({ status: isWrong ? 400 : 200, title: "Log in on a device", body, cookie });
}

/** The device whose code was typed, and the providers to log in with. */
export function deviceFoundPage(
  { address, time }: { readonly address: string; readonly time: number },
  links: readonly ProviderLink[],
  cookie: string,
  now: number,
): WholeResponse {
  const body = html`<p>A device at the address <strong>${address}</strong> asked for this code ${ago(now - time)}.</p>
<p class="hint">Continue only if that is your device. You are asked once more after you have logged in.</p>
${choices(links)}`;
  return pageResponse({ title: "Log in on a device", body, cookie });
}

export function donePage(title: string, text: string, cookie: string): WholeResponse {
  return pageResponse({ title, body: html`<p role="status">${text}</p>`, cookie });
}

export function errorPage(
  status: number,
  description: string,
  headers?: Readonly<Record<string, string>>,
): WholeResponse {
  const body = html`<p role="alert">${description}</p>
<p class="hint">Start again from the program that you logged in with.</p>`;
  return pageResponse({ status, title: "The login failed", body, ...(headers === undefined ? {} : { headers }) });
}
