/** The keys of this visit, by application and mode, only in memory. */
const keys = new Map<string, string>()

export function keptKey(scope: string): string {
  return keys.get(scope) ?? ''
}

export function keepKey(scope: string, key: string): void {
  keys.set(scope, key)
}

/** `ak_…_test_…`: such a key never reaches a provider. */
export function isTestKey(key: string): boolean {
  return /^ak_[a-z0-9]+_test_/.test(key)
}

/** Undefined: nothing is wrong with it. */
export function keyFault(key: string): string | undefined {
  if (key.trim() === '') return 'Paste a key, or mint one for this.'
  if (!key.trim().startsWith('ak_')) return 'Keys of end users begin with ak_.'
  return undefined
}
