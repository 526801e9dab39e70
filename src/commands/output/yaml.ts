/** Imported on demand, because most commands print no YAML. The package itself is CommonJS, of which the bundle has no names. */
export { stringify } from "yaml";
