import { clone } from "@bufbuild/protobuf";
import { type DescriptorProto, type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** The package of the contract. */
const contractPackage = "muster";

/**
 * Translates names to the package of another vendor: `muster.platform.iam.v2beta1.GroupsService` to
 * `acme.platform.iam.v2beta1.GroupsService`. Messages on the wire do not contain package names, so the same methods can be
 * served under both.
 */
export class VendorAlias {
  readonly #vendor: string;

  constructor(vendor: string) {
    this.#vendor = vendor;
  }

  /** The path with the package of the contract. Other paths are returned unchanged. */
  contractPath(path: string): string {
    const prefix = `/${this.#vendor}.`;
    return path.startsWith(prefix) ? `/${contractPackage}.${path.slice(prefix.length)}` : path;
  }

  /** The name with the package of the vendor. Other names are returned unchanged. */
  nameOf(name: string): string {
    return name.startsWith(`${contractPackage}.`) ? `${this.#vendor}${name.slice(contractPackage.length)}` : name;
  }

  /** The descriptor file with the names of the vendor. Other files are returned unchanged. */
  fileOf(file: FileDescriptorProto): FileDescriptorProto {
    if (!file.package.startsWith(`${contractPackage}.`)) return file;
    const copy = clone(FileDescriptorProtoSchema, file);
    copy.name = this.#path(copy.name);
    copy.package = this.nameOf(copy.package);
    copy.dependency = copy.dependency.map((name) => this.#path(name));
    for (const message of copy.messageType) this.#renameIn(message);
    for (const { method } of copy.service)
      for (const rpc of method) {
        rpc.inputType = this.#reference(rpc.inputType);
        rpc.outputType = this.#reference(rpc.outputType);
      }
    return copy;
  }

  #renameIn(message: DescriptorProto): void {
    for (const field of message.field) field.typeName = this.#reference(field.typeName);
    for (const nested of message.nestedType) this.#renameIn(nested);
  }

  #path(name: string): string {
    return name.startsWith(`${contractPackage}/`) ? `${this.#vendor}${name.slice(contractPackage.length)}` : name;
  }

  /** A type reference is the full name with a leading dot. */
  #reference(typeName: string): string {
    return typeName.startsWith(".") ? `.${this.nameOf(typeName.slice(1))}` : typeName;
  }
}
