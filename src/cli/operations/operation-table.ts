/** The operations as the command line knows them: tools/generate writes them to cli/generated/operations.json. */
import table from '#cli/generated/operations.json' with { type: 'json' }

export interface OperationTable {
  /** Name -> what it is. */
  readonly nouns: Readonly<Record<string, string>>
  readonly operations: readonly Operation[]
}

export interface Operation {
  /** `noun.verb`, or the verb alone. */
  readonly id: string
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly answer: 'document' | 'page' | 'events' | 'lines'
  /** Of the document, or of a row of the page: names, and names within them, `balance.balanceUnits`. */
  readonly fields?: readonly string[]
  readonly inPath?: readonly { readonly name: string; readonly about: string }[]
  /** Names of the inputs of the query. */
  readonly inQuery?: readonly string[]
  readonly flags?: readonly Flag[]
  readonly body?: 'json' | 'file'
  readonly fileTypes?: readonly string[]
  readonly isKeyed?: boolean
  readonly isConditional?: boolean
}

export interface Flag {
  /** Of the input; fields within fields after a dot: `price.input`. */
  readonly name: string
  readonly about: string
  readonly kind: FlagKind
  /** The words that it takes. */
  readonly words?: readonly string[]
  readonly isRequired?: boolean
  readonly isNullable?: boolean
  /** True: it may be given several times. */
  readonly isList?: boolean
  /** True: it is given as `key=value`, several times. */
  readonly isMap?: boolean
  /** True: its fields have flags of their own. */
  readonly isGroup?: boolean
  /** Of an object: what `key=value,key=value` may name. */
  readonly fields?: readonly Flag[]
}

/** `micros`: an amount of money; `amount`: an integer of any size. */
export type FlagKind = 'text' | 'boolean' | 'integer' | 'number' | 'amount' | 'micros' | 'time' | 'json'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the generator writes it with this type
export const operationTable = table as unknown as OperationTable

export function operationById(id: string): Operation {
  const found = operationTable.operations.find((operation) => operation.id === id)
  if (!found) throw new Error(`the table of the command line has no operation ${id}: npm run generate`)
  return found
}
