import type { WireName } from '#wire/wire-names.ts'
import type { Arrival } from './arrival.ts'

/**
 * Headers that qualify a body of the wire and so go on to a provider of the same wire, by name and nothing else
 * (docs/reference/wires.md "What passes through"): never a client's own credential, cookie or address.
 */
const allowed: Readonly<Record<WireName, readonly string[]>> = {
  chat: [],
  messages: ['anthropic-version', 'anthropic-beta'],
  generate: [],
  responses: [],
}

/** Longer than any list of betas in use. */
const lengthMax = 2048

/** Names and values in turn. */
export function forwardedHeaders({ response, route }: Arrival): readonly string[] {
  const { headers } = response.req
  const names = allowed[route.wire]
  if (names.length === 0) return none
  const forwarded: string[] = []
  for (const name of names) {
    const value = headers[name]
    // Vendors' own values are printable ASCII.
    if (typeof value === 'string' && value.length <= lengthMax && /^[\x20-\x7e]+$/.test(value))
      forwarded.push(name, value)
  }
  return forwarded
}

const none: readonly string[] = []
