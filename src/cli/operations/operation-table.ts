/** tools/generate writes the operations to cli/generated/operations.json. */
import table from '#cli/generated/operations.json' with { type: 'json' }

export interface OperationTable {
  readonly nouns: Readonly<Record<string, string>>
  readonly operations: readonly Operation[]
}

export interface Operation {
  /** The words of the command: `noun.verb`, or the verb alone. */
  readonly id: string
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly answer: 'document' | 'page' | 'events' | 'lines'
  /** Paths of the response's fields, or of a row's fields in a page, such as `balance.balanceUnits`. */
  readonly fields?: readonly string[]
  readonly inPath?: readonly { readonly name: string; readonly about: string }[]
  readonly inQuery?: readonly string[]
  readonly flags?: readonly Flag[]
  readonly body?: 'json' | 'file'
  readonly fileTypes?: readonly string[]
  readonly isKeyed?: boolean
  readonly isConditional?: boolean
}

export interface Flag {
  /** The names of nested fields are joined by dots: `price.input`. */
  readonly name: string
  readonly about: string
  readonly kind: FlagKind
  /** Words that the flag accepts as its value, also instead of an object with `fields` or a number. */
  readonly words?: readonly string[]
  readonly isRequired?: boolean
  readonly isNullable?: boolean
  readonly isList?: boolean
  /** Whether the value is given as `key=value`, several times. */
  readonly isMap?: boolean
  readonly isGroup?: boolean
  /** The fields of an object, which can be given as `key=value,key=value`. */
  readonly fields?: readonly Flag[]
}

/** `micros` is an amount of money; `amount` is an integer of any size. */
export type FlagKind = 'text' | 'boolean' | 'integer' | 'number' | 'amount' | 'micros' | 'time' | 'json'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the generator writes it with this type
export const operationTable = table as unknown as OperationTable

export function operationById(id: string): Operation {
  const found = operationTable.operations.find((operation) => operation.id === id)
  if (!found) throw new Error(`the table of the command line has no operation ${id}; run npm run generate`)
  return found
}
