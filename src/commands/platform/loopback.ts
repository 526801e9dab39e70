const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether the host of a URL is this machine, as the URL writes it. */
export function isLoopback(hostname: string): boolean {
  return loopback.test(hostname);
}
