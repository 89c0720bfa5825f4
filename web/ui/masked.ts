/** What comes before the secret part stays to be read: `ak_abc123_••••`. */
export function masked(secret: string): string {
  const at = secret.lastIndexOf('_') + 1
  return secret.slice(0, at) + '•'.repeat(24)
}
