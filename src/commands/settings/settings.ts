/**
 * The settings of commands, meant to be imported as a namespace: a command declares `settings.required(settings.url, "…")`,
 * and gets parsing, errors and help from the declaration.
 */
export * from "./describe-settings.ts";
export * from "./listen-error.ts";
export * from "./private-file.ts";
export * from "./read-settings.ts";
export * from "./read-text-file.ts";
export * from "./require-folder.ts";
export * from "./setting.ts";
export * from "./value-types.ts";
export * from "./wrap.ts";
