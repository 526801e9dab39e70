import { fromBinary } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";

/** The field numbers of descriptors, which form the path of a source location. */
const file = { message: 4, enum: 5, service: 6 };
const message = { field: 2, nested: 3, enum: 4, oneof: 8 };
const member = 2;

/**
 * Returns the comments in our own packages, by the full name of the element that each describes.
 * @param image the output of `buf build`: a set of file descriptors with source locations
 */
export function commentsOf(image: Uint8Array): ReadonlyMap<string, string> {
  const files = fromBinary(FileDescriptorSetSchema, image).file.filter((one) => one.package.startsWith("muster."));
  return new Map(files.flatMap(commentsOfFile).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function commentsOfFile(descriptor: FileDescriptorProto): [name: string, comment: string][] {
  const names = namesByPath(descriptor);
  return (descriptor.sourceCodeInfo?.location ?? []).flatMap(({ path, leadingComments, trailingComments }) => {
    const name = names.get(path.join("."));
    const comment = (leadingComments || trailingComments).replace(/\s+/g, " ").trim();
    return name === undefined || comment === "" ? [] : [[name, comment]];
  });
}

function namesByPath({ package: root, messageType, enumType, service }: FileDescriptorProto): Map<string, string> {
  const names = new Map<string, string>();
  for (const [index, one] of messageType.entries()) nameMessage(names, [file.message, index], root, one);
  for (const [index, one] of enumType.entries()) nameEnum(names, [file.enum, index], root, one);
  for (const [index, one] of service.entries()) {
    names.set([file.service, index].join("."), `${root}.${one.name}`);
    for (const [at, { name }] of one.method.entries())
      names.set([file.service, index, member, at].join("."), `${root}.${one.name}.${name}`);
  }
  return names;
}

function nameMessage(names: Map<string, string>, path: number[], scope: string, desc: DescriptorProto): void {
  const name = `${scope}.${desc.name}`;
  names.set(path.join("."), name);
  for (const [index, one] of desc.field.entries())
    names.set([...path, message.field, index].join("."), `${name}.${one.name}`);
  for (const [index, one] of desc.oneofDecl.entries())
    names.set([...path, message.oneof, index].join("."), `${name}.${one.name}`);
  for (const [index, one] of desc.nestedType.entries()) nameMessage(names, [...path, message.nested, index], name, one);
  for (const [index, one] of desc.enumType.entries()) nameEnum(names, [...path, message.enum, index], name, one);
}

function nameEnum(names: Map<string, string>, path: number[], scope: string, desc: EnumDescriptorProto): void {
  const name = `${scope}.${desc.name}`;
  names.set(path.join("."), name);
  for (const [index, one] of desc.value.entries()) names.set([...path, member, index].join("."), `${name}.${one.name}`);
}
