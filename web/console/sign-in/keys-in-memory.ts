/** Keys that the member has pasted into the playground. Keys are never stored, and are deleted when the session ends. */
const keys = new Map<string, string>()

export function keptKey(scope: string): string {
  return keys.get(scope) ?? ''
}

export function keepKey(scope: string, key: string): void {
  keys.set(scope, key)
}

export function deleteKeys(): void {
  keys.clear()
}
