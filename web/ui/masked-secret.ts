/** Keeps the public prefix: `ak_abc123_••••`. */
export function maskedSecret(secret: string): string {
  const at = secret.lastIndexOf('_') + 1
  return secret.slice(0, at) + '•'.repeat(24)
}
