import type { Wire } from '#sdk/client-snippets.ts'

export const wires = [
  ['chat', 'Chat'],
  ['messages', 'Messages'],
  ['responses', 'Responses'],
  ['generate', 'Generate'],
] as const satisfies readonly (readonly [Wire, string])[]

/** Accepts a non-streaming response, or one event of a stream. */
export function textIn(wire: Wire, document: unknown): string {
  switch (wire) {
    case 'chat':
      return each(at(document, 'choices'))
        .map((choice) => textOf(at(choice, 'delta', 'content')) + textOf(at(choice, 'message', 'content')))
        .join('')
    case 'messages':
      if (at(document, 'type') === 'content_block_delta') return textOf(at(document, 'delta', 'text'))
      return each(at(document, 'content'))
        .map((block) => textOf(at(block, 'text')))
        .join('')
    case 'responses':
      if (at(document, 'type') === 'response.output_text.delta') return textOf(at(document, 'delta'))
      return each(at(document, 'output'))
        .flatMap((item) => each(at(item, 'content')))
        .map((part) => textOf(at(part, 'text')))
        .join('')
    case 'generate':
      return each(at(document, 'candidates'))
        .flatMap((candidate) => each(at(candidate, 'content', 'parts')))
        .map((part) => textOf(at(part, 'text')))
        .join('')
    default:
      return wire satisfies never
  }
}

export interface WireFault {
  readonly message: string
  readonly document: unknown
}

/** Accepts an error in any of the wire's formats. */
export function faultIn(document: unknown): WireFault | null {
  const error = at(document, 'error') ?? at(document, 'response', 'error')
  const own = at(document, 'type') === 'error' && error === undefined ? document : error
  if (own === undefined || own === null) return null
  const message = at(own, 'message')
  return { message: typeof message === 'string' ? message : 'The request failed.', document }
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = (found as Readonly<Record<string, unknown>>)[name]
  }
  return found
}

function each(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
