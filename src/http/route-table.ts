import type { Operation } from '#operations/kernel/declare-operation.ts'

/**
 * Finds the operation for an HTTP method and a path.
 *
 * Paths are split into segments and matched **before** they are percent-decoded, and each parameter is decoded once. An
 * ID with `%2F` therefore remains one segment, and no second decoding can create a new segment. An alias may contain
 * slashes, which some clients send unescaped, so `{name}` matches as many segments as possible. If several paths match,
 * the path with the most literal segments is used.
 */
export interface RouteTable<Routed> {
  /** @param path percent-encoded, without the query */
  find(method: string, path: string): Route<Routed>
}

export type Route<Routed = Operation> =
  | {
      readonly kind: 'found'
      readonly operation: Routed
      readonly parameters: Readonly<Record<string, string>>
    }
  | { readonly kind: 'other_method'; readonly allowed: readonly string[] }
  | { readonly kind: 'malformed'; readonly parameter: string }
  | { readonly kind: 'unknown' }

const greedyParameter = '{name}'

export function routeTable<Routed extends Pick<Operation, 'method' | 'path'>>(
  operations: readonly Routed[],
): RouteTable<Routed> {
  const templates = operations
    .map((operation) => ({ operation, segments: operation.path.split('/') }))
    .toSorted((one, other) => literals(other.segments) - literals(one.segments))
  return {
    find(method, path) {
      const segments = path.split('/')
      const matches = templates.filter((template) => isMatch(template.segments, segments))
      const match = matches.find((template) => template.operation.method === method)
      if (match) return decoded(match.operation, match.segments, segments)
      if (matches.length === 0) return { kind: 'unknown' }
      const methods = matches.flatMap(({ operation }) =>
        operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method],
      )
      return { kind: 'other_method', allowed: [...new Set(methods)].toSorted() }
    },
  }
}

function literals(template: readonly string[]): number {
  return template.filter((segment) => !segment.startsWith('{')).length
}

function isMatch(template: readonly string[], segments: readonly string[]): boolean {
  const greedy = template.indexOf(greedyParameter)
  if (greedy < 0 ? template.length !== segments.length : segments.length < template.length) return false
  const shift = segments.length - template.length
  return template.every((segment, index) => {
    if (index === greedy) return segments.slice(index, index + shift + 1).every((part) => part !== '')
    const part = segments[greedy >= 0 && index > greedy ? index + shift : index] ?? ''
    return segment.startsWith('{') ? part !== '' : part === segment
  })
}

function decoded<Routed>(
  operation: Routed,
  template: readonly string[],
  segments: readonly string[],
): Route<Routed> {
  const parameters: Record<string, string> = {}
  const shift = segments.length - template.length
  let offset = 0
  for (const [index, segment] of template.entries()) {
    if (!segment.startsWith('{')) continue
    const parameter = segment.slice(1, -1)
    const end = index + offset + 1 + (segment === greedyParameter ? shift : 0)
    try {
      parameters[parameter] = decodeURIComponent(segments.slice(index + offset, end).join('/'))
    } catch {
      return { kind: 'malformed', parameter }
    }
    if (segment === greedyParameter) offset = shift
  }
  return { kind: 'found', operation, parameters }
}
