/** JSON Schemas of the operations, as tools/generate writes them to cli/generated/schemas.json. */

export interface OperationSchemas {
  /** What `#/$defs/...` names. */
  readonly shared: Readonly<Record<string, unknown>>
  /** By id. */
  readonly operations: Readonly<
    Record<
      string,
      {
        /** Null: it takes none, or a file. */
        readonly body: unknown
        /** A document; of a stream each of its documents. */
        readonly answer: unknown
      }
    >
  >
}

/** They are large, and asked for by `--describe` alone. */
export async function operationSchemas(): Promise<OperationSchemas> {
  const { default: schemas } = await import('#cli/generated/schemas.json', { with: { type: 'json' } })
  return schemas
}
