import type { DescFile, DescService } from "@bufbuild/protobuf";
import { toBinary } from "@bufbuild/protobuf";
import { type DescriptorProto, type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { VendorAlias } from "./vendor-alias.ts";

/** The descriptor files of services, by file name, symbol and extension. */
export class DescriptorFiles {
  /** The full names of the services, sorted. */
  readonly services: readonly string[];
  readonly #byName = new Map<string, FileDescriptorProto>();
  /** The names of files by the full names of their services, methods, messages, fields and enums. */
  readonly #bySymbol = new Map<string, string>();
  /** The files that extend a message, by field number. */
  readonly #extensions = new Map<string, Map<number, string>>();

  /**
   * @param others files that no service imports, such as those of error details
   * @param alias a vendor under whose names the services are described too
   */
  constructor(services: readonly DescService[], others: readonly DescFile[], alias: VendorAlias | undefined) {
    for (const file of [...services.map((service) => service.file), ...others]) this.#add(file, alias);
    const names = services.map(({ typeName }) => typeName);
    const all = alias === undefined ? names : [...names, ...names.map((name) => alias.nameOf(name))];
    this.services = [...new Set(all)].toSorted();
  }

  /** The encoded file, preceded by its imports; `undefined` if it does not exist. */
  byName(name: string): Uint8Array[] | undefined {
    const file = this.#byName.get(name);
    if (file === undefined) return undefined;
    const files = new Map<string, FileDescriptorProto>();
    this.#collect(file, files);
    return [...files.values()].map((proto) => toBinary(FileDescriptorProtoSchema, proto));
  }

  bySymbol(symbol: string): Uint8Array[] | undefined {
    const name = this.#bySymbol.get(symbol);
    return name === undefined ? undefined : this.byName(name);
  }

  byExtension(message: string, number: number): Uint8Array[] | undefined {
    const name = this.#extensions.get(message)?.get(number);
    return name === undefined ? undefined : this.byName(name);
  }

  /** The numbers of the extensions of a message; `undefined` if the message does not exist. */
  extensionsOf(message: string): number[] | undefined {
    const numbers = this.#extensions.get(message);
    if (numbers !== undefined) return [...numbers.keys()];
    return this.#bySymbol.has(message) ? [] : undefined;
  }

  #collect(file: FileDescriptorProto, files: Map<string, FileDescriptorProto>): void {
    if (files.has(file.name)) return;
    for (const dependency of file.dependency) {
      const imported = this.#byName.get(dependency);
      if (imported !== undefined) this.#collect(imported, files);
    }
    files.set(file.name, file);
  }

  #add(file: DescFile, alias: VendorAlias | undefined): void {
    if (this.#byName.has(file.proto.name)) return;
    for (const dependency of file.dependencies) this.#add(dependency, alias);
    this.#index(file.proto);
    if (alias !== undefined) this.#index(alias.fileOf(file.proto));
  }

  #index(file: FileDescriptorProto): void {
    this.#byName.set(file.name, file);
    const add = (symbol: string) => this.#bySymbol.set(symbol, file.name);
    for (const message of file.messageType) this.#indexMessage(file.package, message, add);
    for (const { name, value } of file.enumType)
      for (const symbol of [name, ...value.map((constant) => constant.name)]) add(`${file.package}.${symbol}`);
    for (const { name, method } of file.service)
      for (const symbol of [name, ...method.map((rpc) => `${name}.${rpc.name}`)]) add(`${file.package}.${symbol}`);
    for (const { name, extendee, number } of file.extension) {
      add(`${file.package}.${name}`);
      const message = extendee.slice(1);
      const known = this.#extensions.get(message) ?? new Map<number, string>();
      this.#extensions.set(message, known.set(number, file.name));
    }
  }

  #indexMessage(scope: string, message: DescriptorProto, add: (symbol: string) => void): void {
    const name = `${scope}.${message.name}`;
    add(name);
    for (const field of message.field) add(`${name}.${field.name}`);
    for (const nested of message.nestedType) this.#indexMessage(name, nested, add);
    for (const { name: enumName } of message.enumType) add(`${name}.${enumName}`);
  }
}
