import { readFileSync } from 'node:fs'

interface Snapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly unknown[] }
  }
  /** The fields of all objects, one after another. Types and names are indexes into lists. */
  readonly nodes: readonly number[]
  readonly strings: readonly string[]
}

/** Types of the engine's own objects, whose number grows as long as the engine compiles code. */
const engineTypes: ReadonlySet<string> = new Set(['code', 'hidden', 'object shape'])

/** V8 collects all garbage before it writes a snapshot, so the numbers are exact. The counts exclude compiled code. */
export function countObjects(path: string): Map<string, number> {
  const { nodes, snapshot, strings }: Snapshot = JSON.parse(readFileSync(path, 'utf8'))
  const { node_fields: fields, node_types: types } = snapshot.meta
  const [typeAt, nameAt] = [fields.indexOf('type'), fields.indexOf('name')]
  const typeNames = types[typeAt]
  if (!Array.isArray(typeNames)) throw new Error('the snapshot has no types')
  const counts = new Map<string, number>()
  for (let at = 0; at < nodes.length; at += fields.length) {
    const type = String(typeNames[nodes[at + typeAt] ?? -1])
    if (engineTypes.has(type)) continue
    // In a snapshot, the name of a string is the text of the string.
    const name = type.includes('string') ? type : `${type} ${strings[nodes[at + nameAt] ?? -1]}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
