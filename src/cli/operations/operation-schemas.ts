/** JSON Schemas of the operations, as tools/generate writes them to cli/generated/schemas.json. */

export interface OperationSchemas {
  /** The schemas that `#/$defs/...` refers to. */
  readonly shared: Readonly<Record<string, unknown>>
  /** By id. */
  readonly operations: Readonly<
    Record<
      string,
      {
        /** Null if it accepts no body, or a file. */
        readonly body: unknown
        /** A document. For a stream, each of its documents. */
        readonly answer: unknown
      }
    >
  >
}

/** Loaded only for `--describe`, because the schemas are large. */
export async function operationSchemas(): Promise<OperationSchemas> {
  const { default: schemas } = await import('#cli/generated/schemas.json', { with: { type: 'json' } })
  return schemas
}
