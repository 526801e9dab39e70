/** The origin of a target in absolute form. RFC 9110 (4.2) allows no empty host, and asks to distrust user information. */
const origin = /^https?:\/\/[^/?#@\s]+/i;

/**
 * The path and query of a request's target. Over HTTP/1.1 a client may send the whole URL, as to a proxy (RFC 9112, 3.2.2). The platform
 * serves the same to all hosts, so the host does not matter. Every other target is returned as it is.
 */
export function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const found = origin.exec(target)?.[0];
  if (found === undefined) return target;
  const rest = target.slice(found.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}
