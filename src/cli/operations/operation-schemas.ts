/** JSON Schemas of the operations, as tools/generate writes them to cli/generated/schemas.json. */

export interface OperationSchemas {
  readonly shared: Readonly<Record<string, unknown>>
  readonly operations: Readonly<
    Record<
      string,
      {
        /** Null if the operation accepts no body, or a file. */
        readonly body: unknown
        /** For a stream, the schema of each document in it. */
        readonly answer: unknown
      }
    >
  >
}

/** Call this only for `--describe`, because the file is large. */
export async function operationSchemas(): Promise<OperationSchemas> {
  const { default: schemas } = await import('#cli/generated/schemas.json', { with: { type: 'json' } })
  return schemas
}
