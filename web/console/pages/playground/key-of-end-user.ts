/** Requests with a test key never reach a provider. */
export function isTestKey(key: string): boolean {
  return /^ak_[a-z0-9]+_test_/.test(key)
}

export function keyFault(key: string): string | undefined {
  if (key.trim() === '') return 'Paste a key, or create a test key.'
  if (!key.trim().startsWith('ak_')) return 'Keys of end users start with ak_.'
  return undefined
}
