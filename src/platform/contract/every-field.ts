import { create, type DescMessage, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";

type EveryField<M> = { readonly [F in Exclude<keyof M, "$typeName" | "$unknown">]-?: M[F] | undefined };

/** A message of which every field is given, so that a field which the contract gets later is a compile error until it is. */
export function withEveryField<D extends DescMessage>(desc: D, fields: EveryField<MessageShape<D>>): MessageShape<D> {
  return create(desc, fields as object as MessageInitShape<D>);
}
