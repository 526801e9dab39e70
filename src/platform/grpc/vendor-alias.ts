import { clone } from "@bufbuild/protobuf";
import { type DescriptorProto, type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** The package that everything of ours is in. */
const own = "muster";

/**
 * Names under another vendor's package: `muster.platform.iam.v2beta1.GroupsService` as
 * `acme.platform.iam.v2beta1.GroupsService`. The messages on the wire do not carry the vendor, so the same methods can
 * be served under both.
 */
export class VendorAlias {
  readonly #vendor: string;

  constructor(vendor: string) {
    this.#vendor = vendor;
  }

  /** Our own path for one of the vendor's; any other as it is. */
  ownPath(path: string): string {
    const prefix = `/${this.#vendor}.`;
    return path.startsWith(prefix) ? `/${own}.${path.slice(prefix.length)}` : path;
  }

  /** The vendor's name for one of ours; any other as it is. */
  nameOf(name: string): string {
    return name.startsWith(`${own}.`) ? `${this.#vendor}${name.slice(own.length)}` : name;
  }

  /** One of our files as the vendor would have written it; any other as it is. */
  fileOf(file: FileDescriptorProto): FileDescriptorProto {
    if (!file.package.startsWith(`${own}.`)) return file;
    const copy = clone(FileDescriptorProtoSchema, file);
    copy.name = this.#path(copy.name);
    copy.package = this.nameOf(copy.package);
    copy.dependency = copy.dependency.map((name) => this.#path(name));
    for (const message of copy.messageType) this.#renameIn(message);
    for (const { method } of copy.service)
      for (const one of method) {
        one.inputType = this.#reference(one.inputType);
        one.outputType = this.#reference(one.outputType);
      }
    return copy;
  }

  #renameIn(message: DescriptorProto): void {
    for (const field of message.field) field.typeName = this.#reference(field.typeName);
    for (const nested of message.nestedType) this.#renameIn(nested);
  }

  #path(name: string): string {
    return name.startsWith(`${own}/`) ? `${this.#vendor}${name.slice(own.length)}` : name;
  }

  /** A reference to a type is its full name behind a dot. */
  #reference(typeName: string): string {
    return typeName.startsWith(".") ? `.${this.nameOf(typeName.slice(1))}` : typeName;
  }
}
