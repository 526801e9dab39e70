import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import type { NameRequest, NameResolver } from "./name-resolver.ts";

/**
 * What Node calls to resolve the name of a connection.
 * @param check is called with all addresses of the name; the connection is to one of them, unless it throws
 */
export function lookupFunction(
  names: NameResolver,
  request: NameRequest,
  check: (addresses: readonly LookupAddress[]) => void = () => {},
): LookupFunction {
  return (host, options, callback) => {
    const find = async () => {
      const addresses = await names.resolve(host, request);
      check(addresses);
      return addresses;
    };
    find().then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}
