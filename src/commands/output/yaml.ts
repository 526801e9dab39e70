import { stringify as stringifyYaml } from "yaml";

/**
 * A value as YAML without aliases, of which many readers accept only a few. Imported on demand, because most commands print no
 * YAML. The package itself is CommonJS, of which the bundle has no names.
 */
export function stringify(value: unknown): string {
  return stringifyYaml(value, { aliasDuplicateObjects: false });
}
