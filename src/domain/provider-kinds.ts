import type { ProviderKind } from './application-config.ts'
import type { UpstreamWire } from './upstream.ts'

/** What is known of a kind of provider before there is an account. */
interface KindFacts {
  /** The best first: a call that comes in another wire is turned into this one. */
  readonly wires: readonly UpstreamWire[]
  /** Where accounts are that name no base URL. */
  readonly baseUrl: string | null
}

/**
 * `openai` writes its version into the base URL and the others into their paths, as their own clients
 * have it, so that what somebody copies from a vendor's documentation is right. Paths behind it are the
 * adapters' (providers/).
 */
const facts: Readonly<Record<ProviderKind, KindFacts>> = {
  // Of its two wires only responses gives reasoning back, so calls of a third wire go there.
  openai: { wires: ['responses', 'chat'], baseUrl: 'https://api.openai.com/v1' },
  anthropic: { wires: ['messages'], baseUrl: 'https://api.anthropic.com' },
  google: { wires: ['generate'], baseUrl: 'https://generativelanguage.googleapis.com' },
  openai_compatible: { wires: ['chat'], baseUrl: null },
  simulator: { wires: ['chat', 'messages', 'generate', 'responses'], baseUrl: null },
}

/** The wires that accounts of this kind are spoken to in, the one to prefer first; never empty. */
export function wiresOf(kind: ProviderKind): readonly UpstreamWire[] {
  return facts[kind].wires
}

/** The base URL of accounts of this kind that name none; null when one must be named, or there is none. */
export function defaultBaseUrlOf(kind: ProviderKind): string | null {
  return facts[kind].baseUrl
}
