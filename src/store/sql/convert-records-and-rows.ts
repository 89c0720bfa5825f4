/**
 * Converts between a record and its row. `createdAtMs` becomes `created_at_ms`, a boolean becomes 0 or 1, and a list of
 * strings becomes JSON. The code that reads and writes rows lists any additional columns (schema.ts).
 */
export type Flag = 0 | 1

type Snake<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${Snake<Rest>}`
  : Name
type Camel<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<Camel<Rest>>}`
  : Name
type ColumnOf<Value> = Value extends boolean ? Flag : Value extends readonly string[] ? string : Value

export type Columns<Of> = { -readonly [Field in keyof Of & string as Snake<Field>]: ColumnOf<Of[Field]> }

/** Booleans and lists have the types that the columns store. */
export type Fields<Row> = { readonly [Column in keyof Row & string as Camel<Column>]: Row[Column] }

export function columnsOf<Of extends object>(record: Of): Columns<Of> {
  const columns: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(record) as [string, unknown][]) {
    columns[columnName(field)] = columnValue(value)
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type states for each field what the loop does
  return columns as Columns<Of>
}

export function fieldsOf<Row extends object>(row: Row): Fields<Row> {
  const fields: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(row) as [string, unknown][]) fields[fieldName(column)] = value
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type states for each column what the loop does
  return fields as Fields<Row>
}

export function flag(isSet: boolean): Flag {
  return isSet ? 1 : 0
}

function columnValue(value: unknown): unknown {
  if (typeof value === 'boolean') return flag(value)
  return Array.isArray(value) ? JSON.stringify(value) : value
}

export const columnName = remembered((field) =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
)
const fieldName = remembered((column) =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
)

/** Field names come from the schema, so this cache stays small. */
function remembered(nameOf: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const found = nameOf(name)
    known.set(name, found)
    return found
  }
}
