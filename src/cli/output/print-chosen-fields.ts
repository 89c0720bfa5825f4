/** `--json id,balance.balanceUnits`: prints only some fields of a document, at their original positions. */
import { isRow, type Row } from './aligned-table.ts'

export function chosenOf(document: Row, names: readonly string[]): Row {
  const chosen: Record<string, unknown> = {}
  for (const name of names) {
    const [above = '', ...rest] = name.split('.')
    const value = document[above]
    const inner = rest.join('.')
    if (value === undefined) continue
    if (inner === '' || !isRow(value)) chosen[above] = value
    else if (inner in value) {
      const before = chosen[above]
      chosen[above] = { ...(isRow(before) && before), [inner]: value[inner] }
    }
  }
  return chosen
}
