/** Views exist in JSON and YAML; only metadata views also in protobuf. */
export interface ViewObject {
  readonly object: object;
  readonly typeKey: string | undefined;
}
