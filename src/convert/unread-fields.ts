import { isAbsent, isObject, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { camelCase } from '#wire/generate/fields-in-either-spelling.ts'

/**
 * A list of the fields that a reader converts or checks, and of the fields that mean nothing to another provider. A
 * conversion drops all other fields, so they are reported as lost. Fields at the top level are not in the list, because
 * each reader reports them itself.
 */
export interface KnownFields {
  readonly root: Group
}

/** An object, or a list of such objects, at one path. */
interface Group {
  /** For reports. */
  readonly path: string
  /** By the field `type` of the object, or by `*` if all objects have the same fields. */
  readonly nodes: Map<string, Node>
}

type Node = Map<string, Field>

/** A value that is known as a whole, the only values that are known, or an object whose fields are known. */
type Field = 'any' | ReadonlySet<string> | Group

/**
 * Each line contains a path and the names of the fields at this path:
 *
 * - `messages.content(text|image): type` applies to objects whose field `type` is `text` or `image`. An empty name
 *   applies to objects without a type. Objects of other types are not examined.
 * - `thinking: display=summarized|omitted` knows only these values, or objects with these types.
 * - `content = messages.content` gives a path the fields of another path, which is above it.
 * - A `*` among the names means that the reader itself reports fields that it doesn't know.
 */
export function knownFields(lines: string): KnownFields {
  const root: Group = { path: '', nodes: new Map([['*', new Map([['*', 'any']])]]) }
  for (const line of lines.trim().split('\n')) {
    const [alias, same] = line.split(' = ')
    if (alias !== undefined && same !== undefined) {
      const at = alias.trim().lastIndexOf('.')
      const name = alias.trim().slice(at + 1)
      const group = groupAt(root, same.trim())
      for (const node of nodesAt(root, alias.trim().slice(0, at))) node.set(name, group)
      continue
    }
    const [path = '', names = ''] = line.split(': ')
    for (const node of nodesAt(root, path.trim())) {
      for (const word of names.trim().split(/\s+/)) {
        const [name = '', values] = word.split('=')
        if (!node.has(name))
          node.set(name, values === undefined ? 'any' : new Set(values.toLowerCase().split('|')))
      }
    }
  }
  return { root }
}

/** Creates the missing objects of the path. */
function nodesAt(root: Group, path: string): readonly Node[] {
  let nodes: readonly Node[] = [...root.nodes.values()]
  let parent = ''
  for (const segment of path.split('.')) {
    const [name = '', types = '*'] = segment.replace(')', '').split('(')
    const at = parent === '' ? name : `${parent}.${name}`
    parent = at
    nodes = nodes.flatMap((node) => {
      const { nodes: inner } = groupIn(node, name, at)
      return types.split('|').map((type) => {
        const found = inner.get(type) ?? new Map<string, Field>()
        inner.set(type, found)
        return found
      })
    })
  }
  return nodes
}

function groupIn(node: Node, name: string, path: string): Group {
  const field = node.get(name)
  if (isGroup(field)) return field
  const group: Group = { path, nodes: new Map() }
  node.set(name, group)
  return group
}

function groupAt(root: Group, path: string): Group {
  let group = root
  for (const name of path.split('.')) {
    const [node] = group.nodes.values()
    const field = node?.get(name)
    if (!isGroup(field)) throw new Error(`The list of known fields has no object ${path}.`)
    group = field
  }
  return group
}

function isGroup(field: Field | undefined): field is Group {
  return typeof field === 'object' && 'nodes' in field
}

/**
 * Returns the paths of the fields in the body that are not known, without duplicates. Null, false, and empty lists,
 * objects and strings state nothing.
 * @param isEitherSpelling whether the names may be written with underscores
 */
export function unreadFields(
  body: JsonObject,
  { root }: KnownFields,
  isEitherSpelling = false,
): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (value: JsonValue, group: Group): void => {
    if (Array.isArray(value)) {
      for (const item of value as readonly JsonValue[]) visit(item, group)
      return
    }
    if (!isObject(value)) return
    const node = group.nodes.get('*') ?? group.nodes.get(typeof value.type === 'string' ? value.type : '')
    if (node === undefined) return
    for (const key of Object.keys(value)) {
      const name = isEitherSpelling ? camelCase(key) : key
      const inner = value[key]
      const field = node.get(name) ?? (node.has('*') ? 'any' : null)
      if (field === 'any' || found.size >= countMax) continue
      if (field !== null && isGroup(field)) visit(inner, field)
      else if (isGiven(inner) && field?.has(kindOf(inner)) !== true)
        found.add(`${group.path}.${name.slice(0, lengthMax)}`)
    }
  }
  visit(body, root)
  return found
}

/** Limits the size of a report. */
const countMax = 100
const lengthMax = 64

function isGiven(value: JsonValue): boolean {
  if (isAbsent(value) || value === false || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function kindOf(value: JsonValue): string {
  const named = isObject(value) ? value.type : value
  return typeof named === 'string' ? named.toLowerCase() : ''
}
