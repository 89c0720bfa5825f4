/** An idempotency key that nobody has used; `randomUUID` is missing where a page came without TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
