/** The dotted name of a capability from its name in the contract: `CAP_IAM_ROLE_BINDINGS_CREATE` → `role_bindings.create`. */
export function dottedName(contractName: string): string {
  const name = contractName.replace(/^CAP_(IAM_)?/, "");
  const verb = name.lastIndexOf("_");
  return `${name.slice(0, verb)}.${name.slice(verb + 1)}`.toLowerCase();
}
