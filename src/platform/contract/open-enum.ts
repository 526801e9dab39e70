import type { DescEnum } from "@bufbuild/protobuf";

/** The enums to which other platforms of this family add values that this one does not know. Methods decide whether to keep them. */
const openEnums: ReadonlySet<string> = new Set(["muster.capabilities.Capability"]);

/** Whether a request may contain the number as a value of the enum. */
export function isValueOf({ typeName, value }: DescEnum, number: number): boolean {
  return value[number] !== undefined || (openEnums.has(typeName) && Number.isInteger(number) && number > 0);
}
