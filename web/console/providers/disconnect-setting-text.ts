import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import { isKind } from './provider-kinds.ts'

type OnClientLeft = 'cut' | 'drain'

export const clientLeftLabels = { cut: 'Stop the stream', drain: 'Read the rest of the stream' } as const

/** @param setting null for the default of the kind */
export function clientLeftWords(setting: string | null, kind: string): string {
  return clientLeftLabels[onClientLeftOf(setting ?? '') ?? defaultOf(kind)]
}

/** Null for the option that uses the default. */
export function onClientLeftOf(choice: string): OnClientLeft | null {
  return choice === 'cut' || choice === 'drain' ? choice : null
}

function defaultOf(kind: string): OnClientLeft {
  return isKind(kind) ? kindFacts(kind).onClientLeft : 'drain'
}
