/**
 * Names the flag, and says what to do, if `error` says that an address cannot be served; returns any other error as it is.
 * @param flag the setting whose value is the address
 */
export function listenError(flag: string, error: unknown): unknown {
  const {
    code,
    syscall,
    address,
    port = 0,
    hostname,
  } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
    readonly hostname?: string;
  };
  if (syscall === "getaddrinfo")
    return new Error(`${flag}: the host name ${hostname} has no address (${code})`, { cause: error });
  if (syscall !== "listen") return error;
  const where = address?.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
  return new Error(`${flag}: ${reasonOf(code, where) ?? `cannot listen at ${where}: ${code}`}`, { cause: error });
}

function reasonOf(code: string | undefined, where: string): string | undefined {
  if (code === "EADDRINUSE") return `another process serves ${where}; stop it, or choose another port`;
  if (code === "EACCES") return `this user is not allowed to serve ${where}; choose a port above 1023`;
  if (code === "EADDRNOTAVAIL") return `${where} is not an address of this machine; choose one, or 0.0.0.0 for all`;
  return undefined;
}
